package datadir

import (
	"context"
	"errors"
	"strings"
)

// sandboxController are the references in the bundles of sandboxes that are no
// containers, from containerd 2 on:
// <state>/io.containerd.sandbox.controller.v1.shim/<namespace>/<id>/. Their
// files are those of other bundles. A sandbox that has a task's bundle as well
// is looked at there.
func sandboxController(ctx context.Context, s *search) (string, error) {
	all, err := s.bundlesOf(ctx, sandboxDir)
	errs := []error{err}
	for _, b := range all {
		errs = append(errs, s.bundleFiles(b))
		twin := strings.Replace(b.path, "/"+sandboxDir+"/", "/"+taskDir+"/", 1)
		shim, err := s.shimOf(twin)
		own, err2 := s.shimOf(b.path)
		errs = append(errs, err, err2)
		if own != "" || shim == "" {
			errs = append(errs, s.shimPath(b))
		}
	}
	return count(len(all), "sandbox bundle"), errors.Join(errs...)
}
