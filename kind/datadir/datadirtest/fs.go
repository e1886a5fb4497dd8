package datadirtest

import (
	"io/fs"
	"path"
	"strings"
	"syscall"
	"testing/fstest"
	"time"

	"golang.org/x/sys/unix"
)

// Dev is the device of all files.
var Dev = unix.Mkdev(8, 1)

// tree is a file system in memory with inodes, links and refusals.
type tree struct {
	fstest.MapFS
	next   uint64
	denied map[string]error
	hook   func(op, name string) error // may refuse anything; nil: refuses nothing
	// alias gives, for a name that is a magic link, the file behind it.
	alias map[string]func() (fs.FileInfo, error)
}

func newTree(first uint64) *tree {
	t := &tree{MapFS: fstest.MapFS{}, next: first, denied: map[string]error{}, alias: map[string]func() (fs.FileInfo, error){}}
	t.put(".", fs.ModeDir|0o755, nil, time.Unix(0, 0))
	return t
}

// put adds a file with its parents, or replaces it.
func (t *tree) put(name string, mode fs.FileMode, data []byte, at time.Time) {
	if dir := path.Dir(name); dir != name && t.MapFS[dir] == nil {
		t.put(dir, fs.ModeDir|0o755, nil, at)
	}
	t.next++
	kind := uint32(syscall.S_IFREG)
	switch mode.Type() {
	case fs.ModeDir:
		kind = syscall.S_IFDIR
	case fs.ModeSymlink:
		kind = syscall.S_IFLNK
	}
	ts := syscall.NsecToTimespec(at.UnixNano())
	t.MapFS[name] = &fstest.MapFile{Data: data, Mode: mode, ModTime: at, Sys: &syscall.Stat_t{
		Dev: Dev, Ino: t.next, Mode: kind | uint32(mode.Perm()), Nlink: 1, Size: int64(len(data)), Blocks: 8, Mtim: ts, Ctim: ts,
	}}
}

// age sets the times of a file, and of all below it.
func (t *tree) age(name string, at time.Time) {
	ts := syscall.NsecToTimespec(at.UnixNano())
	for n, f := range t.MapFS {
		if n == name || strings.HasPrefix(n, name+"/") {
			st := f.Sys.(*syscall.Stat_t)
			st.Mtim, st.Ctim, f.ModTime = ts, ts, at
		}
	}
}

// device puts a file, and all below it, on another device.
func (t *tree) device(name string) {
	for n, f := range t.MapFS {
		if n == name || strings.HasPrefix(n, name+"/") {
			f.Sys.(*syscall.Stat_t).Dev = unix.Mkdev(8, 17)
		}
	}
}

// rename moves a file and all below it. Like the kernel, it changes the time at
// which the moved one was last changed.
func (t *tree) rename(from, to string) {
	if f := t.MapFS[from]; f != nil {
		f.Sys.(*syscall.Stat_t).Ctim = syscall.NsecToTimespec(Now.UnixNano())
	}
	for n, f := range t.MapFS {
		if rest, ok := strings.CutPrefix(n, from); ok && (rest == "" || rest[0] == '/') {
			delete(t.MapFS, n)
			t.MapFS[to+rest] = f
		}
	}
}

func (t *tree) refused(op, name string) error {
	if err, ok := t.denied[name]; ok {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	if t.hook != nil {
		if err := t.hook(op, name); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return nil
}

func (t *tree) Lstat(name string) (fs.FileInfo, error) {
	if t.hook != nil {
		if err := t.hook("lstat", name); err != nil {
			return nil, &fs.PathError{Op: "lstat", Path: name, Err: err}
		}
	}
	return t.MapFS.Lstat(name)
}

func (t *tree) Open(name string) (fs.File, error) {
	if err := t.refused("open", name); err != nil {
		return nil, err
	}
	return t.MapFS.Open(name)
}

func (t *tree) ReadFile(name string) ([]byte, error) {
	if err := t.refused("open", name); err != nil {
		return nil, err
	}
	return t.MapFS.ReadFile(name)
}

func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := t.refused("open", name); err != nil {
		return nil, err
	}
	return t.MapFS.ReadDir(name)
}

func (t *tree) ReadLink(name string) (string, error) {
	if err := t.refused("readlink", name); err != nil {
		return "", err
	}
	return t.MapFS.ReadLink(name)
}

func (t *tree) Stat(name string) (fs.FileInfo, error) {
	if t.hook != nil {
		if err := t.hook("stat", name); err != nil {
			return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
	}
	if behind, ok := t.alias[name]; ok {
		return behind()
	}
	return t.MapFS.Stat(name)
}
