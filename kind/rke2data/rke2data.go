package rke2data

import (
	"context"
	"log/slog"
	"regexp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir"
)

// Name is the kind's name.
const Name = "rke2-data"

// DefaultDir is RKE2's data directory where nothing is configured.
const DefaultDir = "/var/lib/rancher/rke2"

type (
	// Options say how to judge and clean; the zero value reports only.
	Options = datadir.Options
	// Report is what became of each directory, with reasons.
	Report = datadir.Report
	// View is one look.
	View = datadir.View
	// RuntimeUse is a container as containerd's API has it, for Options.Runtimes.
	RuntimeUse = datadir.RuntimeUse
)

// The names that RKE2 gives. A tag of a development build has letters after the
// version (v1.34.1-dev.1a2b3c4d-rke2r1).
var (
	tagged = regexp.MustCompile(`^(v[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z._-]*)-[0-9a-f]{12}$`)
	digest = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Product describes RKE2's data directories.
func Product() datadir.Product {
	return datadir.Product{
		Kind:       Name,
		Doc:        "RKE2's unpacked versions, of which upgrades leave the old ones.",
		Names:      "<version>-<12 hex>, or <64 hex>",
		DefaultDir: DefaultDir, Binary: "rke2",
		Match: func(name string) bool { return tagged.MatchString(name) || digest.MatchString(name) },
		Version: func(name string) datadir.Version {
			m := tagged.FindStringSubmatch(name)
			if m == nil {
				return datadir.Version{}
			}
			v, _ := datadir.ParseVersion(m[1])
			return v
		},
		Current: []string{"bin"}, Relinks: true,
		// RKE2 takes a directory for whole by its mark, and before it had one,
		// by these two.
		First: []string{".extracted", "bin", "charts"},
	}
}

// Kind makes the kind of one data directory, DefaultDir or a configured one.
func Kind(dataDir string) hostgc.Kind { return Product().KindOf(dataDir) }

// Look judges the directories of a data directory, and removes nothing.
func Look(ctx context.Context, dataDir string, opts Options) (View, error) {
	return datadir.Look(ctx, Product(), dataDir, opts)
}

// Clean judges the directories twice, and with ModeEnforce removes what was
// garbage both times. It is to be called when the kubelet is ready: before that
// it finds that the supervisor is not quiet, and keeps everything. It takes a
// settle time (Options.Settle) where there is something to remove.
//
// The report says of each directory what became of it and why. log may be nil.
func Clean(ctx context.Context, dataDir string, opts Options, log *slog.Logger) (Report, error) {
	return datadir.Clean(ctx, Product(), dataDir, opts, log)
}
