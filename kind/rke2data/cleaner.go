package rke2data

import (
	"fmt"

	"github.com/hostgc/hostgc/kind/datadir"
)

// cleaners are the versions whose own cleaner looks at the executables of
// running processes alone (rke2#9977). It removes what a sandbox has on record
// without a process, and breaks its pods (rke2#10613). From the first of each
// line up to the version before the second, which has the fix (rke2#10658).
var cleaners = [][2]string{
	{"v1.33.11+rke2r1", "v1.33.13+rke2r2"},
	{"v1.34.7+rke2r1", "v1.34.10+rke2r1"},
	{"v1.35.4+rke2r1", "v1.35.7+rke2r1"},
	{"v1.36.0+rke2r1", "v1.36.3+rke2r1"},
}

// Cleaner reports whether a version of RKE2 ("v1.34.8+rke2r1") is one whose own
// cleaner breaks pods, and what to do about it. A version that is not understood
// is none.
func Cleaner(version string) (broken bool, advice string) {
	v, ok := datadir.ParseVersion(version)
	if !ok {
		return false, ""
	}
	for _, c := range cleaners {
		from, _ := datadir.ParseVersion(c[0])
		fixed, _ := datadir.ParseVersion(c[1])
		if v.Compare(from) >= 0 && v.Compare(fixed) < 0 {
			return true, fmt.Sprintf("RKE2 %s removes old data directories at each start of its service, also such as running pods still need; "+
				"their exec, and later their deletion, fails (rke2#10613). Upgrade to %s or later. Until then, delete the pods that "+
				"hostgc scan --kinds %s lists as holding an old version before you restart the service.", v, c[1], Name)
		}
	}
	return false, ""
}
