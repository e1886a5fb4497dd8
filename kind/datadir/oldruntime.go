package datadir

import (
	"context"
	"errors"
)

// oldRuntime are the references in the bundles of the old shim, up to
// containerd 1.6: <state>/io.containerd.runtime.v1.linux/<namespace>/<id>/.
// They name no shim, so any that there was may be meant.
func oldRuntime(ctx context.Context, s *search) (string, error) {
	all, err := s.bundlesOf(ctx, oldDir)
	errs := []error{err}
	for _, b := range all {
		errs = append(errs, s.bundleFiles(b))
		s.orphans = append(s.orphans, b)
	}
	return count(len(all), "bundle") + " of the old runtime", errors.Join(errs...)
}
