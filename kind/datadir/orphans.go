package datadir

import (
	"fmt"
	"io/fs"
	"time"
)

// keepForOrphans takes a bundle that does not tell its shim, and whose sandbox
// does not either, as a reference to every directory that existed when it was
// made.
func (s *search) keepForOrphans() error {
	if len(s.orphans) == 0 || s.host.proc == nil {
		return nil
	}
	boot, err := s.boot()
	if err != nil {
		return err
	}
	for _, b := range s.orphans {
		info, err := fs.Lstat(s.host.root, below(b.path))
		if missing(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at the bundle %s: %w", b.path, err)
		}
		for _, t := range s.trees {
			if !madeAfter(t, identityTime(info), boot) {
				s.refer(t, Use{Source: "bundles", Holder: b.id,
					What: "does not tell which shim it runs with, so it may be any that there was when it was made (" + b.path + " has no shim-binary-path)",
				})
			}
		}
	}
	return nil
}

func identityTime(info fs.FileInfo) time.Time { return identity(info).Stamp() }

// slack is how far the clock may be corrected in a step and the times still be
// taken as those of one clock.
const slack = time.Minute

// madeAfter reports whether a directory was certainly made after a bundle:
// everything in it was, by both the times that the file system keeps. A bundle
// lies below /run, so it was made after the boot; if by its time it was not,
// the clock was set since and times cannot be compared.
func madeAfter(t *Tree, bundle, boot time.Time) bool {
	return !boot.IsZero() && bundle.After(boot) && t.Oldest.After(bundle.Add(slack))
}
