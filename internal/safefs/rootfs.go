package safefs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// maxWhole bounds what ReadFile takes into memory. Configuration and procfs
// are small; what is larger is a mistake or an attack.
const maxWhole = 64 << 20

// FS gives the host's files for reading, with names as io/fs has them
// ("var/lib/cni"). Only regular files and directories can be opened. It
// implements fs.ReadDirFS, fs.ReadFileFS, fs.StatFS and fs.ReadLinkFS.
func (r *Root) FS() fs.FS { return hostFS{r} }

type hostFS struct{ root *Root }

var (
	_ fs.ReadDirFS  = hostFS{}
	_ fs.ReadFileFS = hostFS{}
	_ fs.StatFS     = hostFS{}
	_ fs.ReadLinkFS = hostFS{}
)

func (h hostFS) open(op, name string, flags int) (*os.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	fd, err := h.root.open(name, flags)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil // #nosec G115: a descriptor is not negative
}

// Open looks before it opens, because opening a device can do something, and
// again after it, because the name may have been given to something else.
func (h hostFS) Open(name string) (fs.File, error) {
	info, err := h.stat("open", name, unix.O_PATH)
	if err != nil {
		return nil, err
	}
	if !readable(info) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	f, err := h.open("open", name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil && !readable(info) {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	if info.IsDir() {
		return &hostDir{File: f, fsys: h, name: name}, nil
	}
	return f, nil
}

func readable(info fs.FileInfo) bool { return info.Mode().IsRegular() || info.IsDir() }

func (h hostFS) ReadFile(name string) ([]byte, error) {
	f, err := h.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	// Not by its size: procfs gives 0.
	data, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxWhole {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: more than %d bytes", ErrTooLarge, maxWhole)}
	}
	return data, nil
}

func (h hostFS) Stat(name string) (fs.FileInfo, error) { return h.stat("stat", name, unix.O_PATH) }
func (h hostFS) Lstat(name string) (fs.FileInfo, error) {
	return h.stat("lstat", name, unix.O_PATH|unix.O_NOFOLLOW)
}

func (h hostFS) stat(op, name string, flags int) (fs.FileInfo, error) {
	f, err := h.open(op, name, flags)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.Stat()
}

// ReadLink gives the text of a symlink. Those of procfs work too: they are
// read, not followed.
func (h hostFS) ReadLink(name string) (string, error) {
	f, err := h.open("readlink", name, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(f.Fd()), "", buf) // #nosec G115: a descriptor
	if errors.Is(err, unix.ENOENT) {
		err = unix.EINVAL // what readlink(2) says of no symlink; by descriptor it is ENOENT
	}
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return string(buf[:n]), nil
}

func (h hostFS) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := h.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	dir, ok := f.(*hostDir)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: unix.ENOTDIR}
	}
	return dir.ReadDir(-1)
}
