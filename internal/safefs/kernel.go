package safefs

import (
	"errors"

	"golang.org/x/sys/unix"
)

// How paths are resolved. inRoot is for host paths, in which symlinks are
// legitimate; beneath is for entries of a pinned directory (NO_SYMLINKS implies
// NO_MAGICLINKS; openat2(2) asks to name both).
const (
	inRoot  = unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS
	beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV
)

// kernel is what the package needs of the running system beyond what every
// Linux has. Tests take parts of it away.
type kernel struct {
	openat2 func(dirfd int, path string, flags int, resolve uint64) (int, error)
	proc    string // a procfs that shows this process
}

func thisKernel() kernel { return kernel{openat2: openat2, proc: "/proc"} }

// maxAgain bounds the retries where a rename somewhere on the machine raced
// with a ".." on the way: openat2(2) gives EAGAIN then. Beside a thread that does
// nothing but rename, more than two in a row were not seen.
const maxAgain = 100

func openat2(dirfd int, path string, flags int, resolve uint64) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: resolve} // #nosec G115: flags are not negative
	for again := 0; ; {
		fd, err := unix.Openat2(dirfd, path, &how)
		if err == unix.EAGAIN && again < maxAgain {
			again++
			continue
		}
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// hidden reports whether an error may mean that there is no openat2: an old
// kernel, gVisor and new seccomp profiles say ENOSYS; seccomp profiles from
// before runc 1.0.0-rc93 say EPERM.
func hidden(err error) bool {
	return errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM)
}

// openForReading opens an entry of a pinned directory. Without openat2 a
// single component that is not followed is still below the directory; only a
// mount on it goes unseen, which matters to nobody who only reads.
func (k kernel) openForReading(dirfd int, name string, flags int) (int, error) {
	fd, err := k.openat2(dirfd, name, flags|unix.O_NOFOLLOW, beneath)
	if !hidden(err) {
		return fd, err
	}
	return openat(dirfd, name, flags|unix.O_NOFOLLOW)
}

func openat(dirfd int, path string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dirfd, path, flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
