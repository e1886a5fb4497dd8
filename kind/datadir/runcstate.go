package datadir

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
)

// runcState are the references in runc's own records, state.json: the mounts,
// hooks and paths that a container was started with. The shim gives runc the
// root /run/containerd/runc/<namespace>, whatever containerd's state is;
// options may say otherwise, and other callers have roots of their own.
func runcState(_ context.Context, s *search) (string, error) {
	roots := []string{"run/containerd/runc/*/*", "run/runc/*", "run/docker/runtime-runc/*/*", "run/user/*/runc/*"}
	states, err := s.stateDirs()
	errs := []error{err}
	for _, d := range states {
		roots = append(roots, below(d)+"/runc/*/*")
	}
	n := 0
	slices.Sort(roots)
	for _, pattern := range slices.Compact(roots) {
		dirs, err := s.glob(pattern)
		errs = append(errs, err)
		for _, dir := range dirs {
			text, ok, err := s.read(path.Join("/"+dir, "state.json"))
			errs = append(errs, err)
			if !ok {
				continue
			}
			n++
			for _, t := range s.named(text) {
				s.refer(t, Use{Source: "runc-state", Holder: path.Base(dir),
					What: fmt.Sprintf("has %s in runc's state (/%s/state.json)", t.label(), dir),
				})
			}
		}
	}
	return count(n, "container"), errors.Join(errs...)
}
