package datadir

import (
	"cmp"
	"regexp"
	"strconv"

	"github.com/Masterminds/semver/v3"
)

// Version is the version that a name or a program tells, in Kubernetes' form
// with a release of the distribution: v1.34.1+rke2r1. The zero Version is of
// one that tells nothing.
type Version struct {
	text    string
	core    *semver.Version
	release int
}

// release splits the distribution's release off. It stands after a plus sign,
// or after a hyphen where it was an image's tag, which allows no plus.
var release = regexp.MustCompile(`^(v[0-9]+\.[0-9]+\.[0-9]+.*?)(?:[-+](?:rke2|k3s)r?([0-9]{1,6}))?$`)

// ParseVersion reads a version. It reports false for what has no order.
func ParseVersion(text string) (Version, bool) {
	m := release.FindStringSubmatch(text)
	if m == nil {
		return Version{}, false
	}
	core, err := semver.StrictNewVersion(m[1][1:])
	if err != nil {
		return Version{}, false
	}
	n, _ := strconv.Atoi(m[2]) // no release is the release 0
	return Version{text: text, core: core, release: n}, true
}

// Known reports whether there is a version.
func (v Version) Known() bool { return v.core != nil }

// String gives the version as it was written, or "" if there is none.
func (v Version) String() string { return v.text }

// Compare orders known versions. The release is a number: r10 comes after r2,
// which semantic versioning, to which it is text or nothing, does not see.
func (v Version) Compare(w Version) int {
	return cmp.Or(v.core.Compare(w.core), cmp.Compare(v.release, w.release))
}
