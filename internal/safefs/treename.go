package safefs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// The names of a tree on its way. RKE2 and K3s ignore both; a dot in front
// keeps them out of people's globs too.
const (
	asidePrefix    = ".hostgc-"
	removingPrefix = asidePrefix + removingMark
	removingMark   = "removing-"
)

func aside(name string) string    { return asidePrefix + name }
func removing(name string) string { return removingPrefix + name }

// TreeName gives the own name of a tree that was renamed for its removal, and
// whether removing it had begun.
func TreeName(renamed string) (name string, begun, ok bool) {
	if name, ok = strings.CutPrefix(renamed, removingPrefix); ok {
		return name, true, true
	}
	name, ok = strings.CutPrefix(renamed, asidePrefix)
	return name, false, ok
}

// removable keeps out what would make TreeName ambiguous.
func (r *TreeRemover) removable(name string) bool {
	return single(name) && !strings.HasPrefix(name, asidePrefix) && !strings.HasPrefix(name, removingMark) &&
		r.trees.Match(name)
}

// rename never replaces: what has the new name is somebody's. It goes on when
// the context has ended, because it also takes back what was begun.
func (r *TreeRemover) rename(from, to string) error {
	if err := r.step(context.Background(), "rename "+from+" to "+to); err != nil {
		return err
	}
	err := unix.Renameat2(r.dir.fd, from, r.dir.fd, to, unix.RENAME_NOREPLACE)
	switch err {
	case nil:
		return nil
	case unix.EINVAL, unix.EXDEV: // no RENAME_NOREPLACE; a lower layer's directory on an overlay
		return fmt.Errorf("rename %s to %s: this file system cannot rename it in place: %w", from, to, err)
	default:
		return fmt.Errorf("rename %s to %s: %w", from, to, meaning(err))
	}
}

// restore gives a whole tree its own name back, and returns why.
func (r *TreeRemover) restore(from, name string, why error) error {
	err := r.rename(from, name)
	switch {
	case err == nil:
		return why
	case errors.Is(err, unix.EEXIST):
		return fmt.Errorf("%w; meanwhile %s was made anew, so the old one stays at %s, and both are kept", why, name, r.dir.join(from))
	default:
		return fmt.Errorf("%w; it is whole, but stays at %s: %w", why, r.dir.join(from), err)
	}
}
