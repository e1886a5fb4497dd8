package safefs

import (
	"fmt"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Root is the host's root directory, pinned by a descriptor: whatever is
// mounted or renamed at its path later, it stays the directory it was.
type Root struct {
	fd     int
	path   string
	kernel kernel
}

// OpenRoot opens the host's root directory: "/" on the host itself, where it
// is mounted in a container, or a copy of a node's files.
func OpenRoot(path string) (*Root, error) { return openRoot(path, thisKernel()) }

func openRoot(path string, k kernel) (*Root, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open host root %s: %w", path, err)
	}
	fd, err := openat(unix.AT_FDCWD, abs, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return nil, fmt.Errorf("open host root %s: %w", path, err)
	}
	return &Root{fd: fd, path: abs, kernel: k}, nil
}

// Close lets the root go. Directories opened below it stay open.
func (r *Root) Close() error {
	fd := r.fd
	r.fd = -1 // EBADF for who goes on using it, not somebody else's descriptor
	return unix.Close(fd)
}

// OpenDir opens and pins a directory by its path on the host. Symlinks on the
// way, absolute ones too, are followed once and inside the root.
// errors.Is(err, fs.ErrNotExist) tells that there is none.
func (r *Root) OpenDir(name string) (*Dir, error) {
	if !path.IsAbs(name) {
		return nil, fmt.Errorf("open host directory %q: not an absolute path", name)
	}
	name = path.Clean(name)
	fd, err := r.open(name, unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return nil, fmt.Errorf("open host directory %s: %w", name, err)
	}
	return &Dir{fd: fd, path: name, kernel: r.kernel}, nil
}

// open opens a path below the root, absolute or not. Without openat2 an
// absolute symlink below a root other than "/" leads to the wrong file. For
// reading that is accepted (see the package comment), and nothing is removed
// there.
func (r *Root) open(name string, flags int) (int, error) {
	fd, err := r.kernel.openat2(r.fd, name, flags, inRoot)
	if !hidden(err) {
		return fd, err
	}
	return openat(unix.AT_FDCWD, filepath.Join(r.path, name), flags)
}
