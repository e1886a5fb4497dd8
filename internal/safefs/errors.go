package safefs

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// What can be in the way, for errors.Is. The errors that are returned say more.
var (
	ErrChanged    = errors.New("changed since it was judged")
	ErrGone       = errors.New("already gone") // with fs.ErrNotExist
	ErrOutside    = errors.New("not a name that may be removed here")
	ErrMounted    = errors.New("a mount is on it")
	ErrNotRegular = errors.New("not a regular file")
	ErrLinked     = errors.New("has more than one hard link")
	ErrOwner      = errors.New("owned neither by root nor by the user that hostgc runs as")
	ErrTooLarge   = errors.New("too large to be read")
	ErrNoOpenat2  = errors.New("the system call openat2 does not work here")
)

// NotRegularError tells what an entry is instead of a regular file. It is
// ErrNotRegular.
type NotRegularError struct {
	Path string // on the host
	Type string // "symlink", "directory", "FIFO", "socket", "character device", "block device"
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s: %s, not a regular file", e.Path, e.Type)
}

// Is makes it an ErrNotRegular.
func (e *NotRegularError) Is(target error) bool { return target == ErrNotRegular }

// HeldError tells who holds the lock of a directory.
type HeldError struct {
	Path    string // of the directory, on the host
	PID     int    // 0: not visible in this PID namespace
	Command string // its command line, where it can be seen
}

func (e *HeldError) Error() string {
	holder := "a process that is not visible from here"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	if e.Command != "" {
		holder += " (" + e.Command + ")"
	}
	return fmt.Sprintf("%s is locked by %s: only one hostgc works at a time; wait for it to finish, or stop it", e.Path, holder)
}

// meaning adds to an error of a call on an entry what it stands for. EXDEV is
// RESOLVE_NO_XDEV's; EBUSY is unlinkat's where a mount came between.
func meaning(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT):
		return fmt.Errorf("%w: %w", ErrGone, err)
	case errors.Is(err, unix.EXDEV), errors.Is(err, unix.EBUSY):
		return fmt.Errorf("%w: %w", ErrMounted, err)
	default:
		return err
	}
}
