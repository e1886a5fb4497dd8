package safefs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// hostDir is an open directory of a hostFS. os.File's own ReadDir would look
// entries up by path, past the root, and drop those that it does not find.
type hostDir struct {
	*os.File
	fsys   hostFS
	name   string
	listed bool
	rest   []fs.DirEntry
}

// ReadDir lists the directory as fs.ReadDirFile has it, sorted by name.
func (d *hostDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if !d.listed {
		if err := d.list(); err != nil {
			return nil, &fs.PathError{Op: "readdir", Path: d.name, Err: err}
		}
	}
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	batch := d.rest[:n:n]
	d.rest = d.rest[n:]
	return batch, nil
}

func (d *hostDir) list() error {
	for e, err := range dirents(context.Background(), int(d.Fd())) { // #nosec G115: a descriptor
		if err != nil {
			return err
		}
		entry := hostEntry{fsys: d.fsys, path: path.Join(d.name, e.Name), mode: fileMode(e.Type)}
		if e.Type == unix.DT_UNKNOWN { // XFS without ftype, some FUSE file systems
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			entry.mode = info.Mode().Type()
		}
		d.rest = append(d.rest, entry)
	}
	slices.SortFunc(d.rest, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	d.listed = true
	return nil
}

type hostEntry struct {
	fsys hostFS
	path string
	mode fs.FileMode
}

func (e hostEntry) Name() string               { return path.Base(e.path) }
func (e hostEntry) IsDir() bool                { return e.mode.IsDir() }
func (e hostEntry) Type() fs.FileMode          { return e.mode }
func (e hostEntry) Info() (fs.FileInfo, error) { return e.fsys.Lstat(e.path) }
func (e hostEntry) String() string             { return fs.FormatDirEntry(e) }

func fileMode(dtype uint8) fs.FileMode {
	switch dtype {
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.DT_BLK:
		return fs.ModeDevice
	default:
		return 0
	}
}
