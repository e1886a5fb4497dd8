// Package k3sdata is the kind of K3s' old data directories.
//
// K3s is one file that unpacks itself, for each version into a directory that
// is named after the hash of what is in it:
//
//	/var/lib/rancher/k3s/data/<64 hex>/{bin,bin/aux,etc}
//
// It unpacks into <64 hex>-tmp, under a flock on data/.lock, and renames. A full
// disk leaves the -tmp behind (kairos#2682). data/current and data/previous link
// to what was unpacked last and before that. They do not tell what runs: a
// downgrade to a version that is still there unpacks nothing, and then what runs
// is neither. data/cni has links into the last one, and files that users put
// there. K3s itself never removes anything.
//
// The names tell no version, so what is retained is told by the time at which
// each was unpacked. What keeps one is told in package datadir.
package k3sdata

import (
	"context"
	"log/slog"
	"regexp"
	"strings"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir"
)

// Name is the kind's name.
const Name = "k3s-data"

// DefaultDir is K3s' data directory where nothing is configured.
const DefaultDir = "/var/lib/rancher/k3s"

type (
	// Options say how to judge and clean; the zero value reports only.
	Options = datadir.Options
	// Report is what became of each directory, with reasons.
	Report = datadir.Report
	// View is one look.
	View = datadir.View
)

const partial = "-tmp"

var hash = regexp.MustCompile(`^[0-9a-f]{64}(?:` + partial + `)?$`)

// Product describes K3s' data directories.
func Product() datadir.Product {
	return datadir.Product{
		Kind:       Name,
		Doc:        "K3s' unpacked versions, of which upgrades leave the old ones.",
		Names:      "<64 hex>, or <64 hex>-tmp",
		DefaultDir: DefaultDir, Binary: "k3s",
		Match:   hash.MatchString,
		Version: func(string) datadir.Version { return datadir.Version{} },
		Partial: func(name string) bool { return strings.HasSuffix(name, partial) },
		Current: []string{"data/current", "data/previous"},
		// K3s takes a directory for whole if it is there.
		First: []string{"bin"},
		Lock:  ".lock",
	}
}

// Kind makes the kind of one data directory, DefaultDir or a configured one.
func Kind(dataDir string) hostgc.Kind { return Product().KindOf(dataDir) }

// Look judges the directories of a data directory, and removes nothing.
func Look(ctx context.Context, dataDir string, opts Options) (View, error) {
	return datadir.Look(ctx, Product(), dataDir, opts)
}

// Clean judges the directories twice, and with ModeEnforce removes what was
// garbage both times. See rke2data.Clean.
func Clean(ctx context.Context, dataDir string, opts Options, log *slog.Logger) (Report, error) {
	return datadir.Clean(ctx, Product(), dataDir, opts, log)
}
