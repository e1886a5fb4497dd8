package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// RuntimeUse is a container or sandbox as containerd's metadata has it.
type RuntimeUse struct {
	ID      string
	Sandbox string // the sandbox that it belongs to; its own ID if it is one, "" if that is not known
	Pod     Pod
	Runtime string   // a name, io.containerd.runc.v2, or the path of a shim
	Paths   []string // paths and texts in its options, BinaryName among them
}

// knownRoots are containerd's root directories, by distribution.
var knownRoots = []string{
	"/var/lib/rancher/rke2/agent/containerd",
	"/var/lib/rancher/k3s/agent/containerd",
	"/var/lib/containerd",
	"/var/lib/docker/containerd/daemon",
	"/var/lib/k0s/containerd",
}

// database is containerd's metadata below its root.
const database = "io.containerd.metadata.v1.bolt/meta.db"

// metadata are the references in containerd's metadata: the runtime of each
// container and sandbox, and its options. The CRI writes names there, which
// containerd looks up in its own PATH; ctr and nerdctl can write the path of a
// shim, and options name the runc.
//
// containerd holds the database locked. So it is asked by its API, if the
// caller can do that (runtimes), and otherwise a copy is read.
func metadata(ctx context.Context, s *search, runtimes func(context.Context) ([]RuntimeUse, error)) (string, error) {
	if runtimes != nil {
		all, err := runtimes(ctx)
		if err != nil {
			return "", fmt.Errorf("asking containerd for its containers: %w", err)
		}
		return count(len(all), "container") + " by containerd's API", s.runtimeUses(all)
	}
	roots := append(slices.Clone(knownRoots), s.dataDir+"/agent/containerd")
	roots, err := s.existing(append(roots, s.roots...))
	errs := []error{err}
	n := 0
	for _, root := range roots {
		file := path.Join(root, database)
		if _, err := fs.Stat(s.host.root, below(file)); missing(err) {
			continue
		}
		all, err := readDatabase(ctx, s.host.root, below(file), s.mentions)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading a copy of %s: %w", file, err))
		}
		n += len(all)
		errs = append(errs, s.runtimeUses(all))
	}
	return count(n, "container") + " in a copy of containerd's database", errors.Join(errs...)
}

func (s *search) mentions(text string) bool { return len(s.named(text)) > 0 }

func (s *search) runtimeUses(all []RuntimeUse) error {
	var errs []error
	for _, u := range all {
		if u.Sandbox != "" {
			s.boxes[u.ID] = u.Sandbox
			if u.Pod.known() {
				s.pods[u.Sandbox] = u.Pod
			}
		}
		for _, text := range append([]string{u.Runtime}, u.Paths...) {
			found, err := s.inText(text)
			errs = append(errs, err)
			for _, t := range found {
				s.refer(t, Use{Source: "metadata", Holder: u.ID,
					What: "has " + t.label() + " in its runtime or options in containerd's metadata"})
			}
		}
	}
	return errors.Join(errs...)
}
