package datadir

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// bundles are the references in containerd's bundles of tasks:
// <state>/io.containerd.runtime.v2.task/<namespace>/<id>/, in every namespace,
// not the CRI's alone.
//
// shim-binary-path has the shim's path, without a newline. It is what containerd
// calls at its next start and when it cleans up. It can name a directory from
// which no process runs: a container that is created again after an upgrade in
// a sandbox from before it has the path of the new shim recorded, though the
// old one serves it.
//
// From containerd 2 on, a container that lives in its sandbox's shim has a file
// sandbox with the sandbox's ID, and the path is in the sandbox's bundle.
func bundles(ctx context.Context, s *search) (string, error) {
	all, err := s.bundlesOf(ctx, taskDir)
	errs := []error{err}
	for _, b := range all {
		errs = append(errs, s.bundleFiles(b), s.shimPath(b))
	}
	return count(len(all), "bundle"), errors.Join(errs...)
}

func (s *search) shimPath(b bundle) error {
	shim, err := s.shimOf(b.path)
	if err != nil {
		return err
	}
	if shim == "" {
		return s.memberOf(b)
	}
	found, err := s.byPath(shim)
	if err != nil {
		return err
	}
	for _, t := range found {
		s.refer(t, Use{Source: "bundles", Holder: b.id,
			What: fmt.Sprintf("has the shim of %s on record (%s)", t.label(), path.Join(b.path, "shim-binary-path")),
		})
	}
	return nil
}

func (s *search) shimOf(bundle string) (string, error) {
	text, _, err := s.read(path.Join(bundle, "shim-binary-path"))
	return strings.TrimSpace(text), err
}

// memberOf settles a bundle without a shim's path: by its sandbox's bundle,
// which is looked at itself, or not at all.
func (s *search) memberOf(b bundle) error {
	box, _, err := s.read(path.Join(b.path, "sandbox"))
	if err != nil {
		return err
	}
	if box = strings.TrimSpace(box); box != "" && box != b.id && path.Base(box) == box {
		shim, err := s.shimOf(path.Join(path.Dir(b.path), box))
		if err != nil || shim != "" {
			return err
		}
	}
	s.orphans = append(s.orphans, b)
	return nil
}
