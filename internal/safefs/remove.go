package safefs

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// Remover removes entries of one directory. It alone unlinks.
type Remover struct {
	dir   *Dir
	match func(name string) bool
}

// Remover gives the power to remove the entries whose names match. Where
// openat2 does not work it is refused with ErrNoOpenat2: nothing else tells
// that a name is what it seems to be.
func (d *Dir) Remover(match func(name string) bool) (*Remover, error) {
	if match == nil {
		return nil, errors.New("a remover without bounds: " + d.path)
	}
	fd, err := d.kernel.openat2(d.fd, ".", unix.O_PATH|unix.O_NOFOLLOW, beneath)
	if hidden(err) {
		return nil, fmt.Errorf("nothing is removed below %s: %w: %w; it takes Linux 5.6 or later, and in a container a seccomp profile that knows it", d.path, ErrNoOpenat2, err)
	}
	if err != nil {
		return nil, fmt.Errorf("nothing is removed below %s: %w", d.path, err)
	}
	return &Remover{dir: d, match: match}, unix.Close(fd)
}

// Remove unlinks a regular file if it is still just what was judged.
//
// ErrOutside, ErrGone, ErrMounted, ErrNotRegular, ErrLinked, ErrOwner and
// ErrChanged say why it is left alone; anything else (EROFS, EIO, EPERM of an
// immutable file) is the file system's word, with the path.
func (r *Remover) Remove(name string, judged hostgc.Identity) error {
	if err := r.remove(name, judged); err != nil {
		return fmt.Errorf("remove %s: %w", r.dir.join(name), err)
	}
	return nil
}

// remove does nothing between the last check and unlinkat: see the package
// comment on what that moment means.
func (r *Remover) remove(name string, judged hostgc.Identity) error {
	if !single(name) || !r.match(name) {
		return ErrOutside
	}
	fd, err := r.dir.kernel.openat2(r.dir.fd, name, unix.O_PATH|unix.O_NOFOLLOW, beneath)
	if err != nil {
		return meaning(err)
	}
	defer func() { _ = unix.Close(fd) }()
	now, err := identity(fd)
	if err != nil {
		return err
	}
	if err := removable(now, judged); err != nil {
		return err
	}
	return meaning(unix.Unlinkat(r.dir.fd, name, 0))
}

// removable refuses what is not the file that was judged, and what the CNI
// libraries never make: a link count or an owner of its own is somebody's
// intention.
func removable(now, judged hostgc.Identity) error {
	switch {
	case !isRegular(now):
		return fmt.Errorf("it is a %s: %w", typeName(now.Mode), ErrNotRegular)
	case now.Nlink != 1:
		return fmt.Errorf("%w: %d", ErrLinked, now.Nlink)
	case now.UID != 0 && int64(now.UID) != int64(os.Geteuid()):
		return fmt.Errorf("%w: uid %d", ErrOwner, now.UID)
	case !now.Same(judged):
		return fmt.Errorf("%w: %s", ErrChanged, difference(now, judged))
	default:
		return nil
	}
}
