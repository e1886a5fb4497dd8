package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/hostgc/hostgc"
)

// inode names a file whatever it is called.
type inode struct{ dev, ino uint64 }

// Tree is a versioned directory as it was found.
type Tree struct {
	Dir, Name string
	Version   Version
	Flaw      string // why it cannot be judged

	// ID is the directory's own state: what the remover compares with.
	ID     hostgc.Identity
	Oldest time.Time // the earliest change of anything in it
	Newest time.Time // the latest: an unpacking that goes on makes it new
	Bytes  int64     // allocated by what is in it
	Count  int       // inodes in it

	entry  string // the name that it has now: Name, or one that the remover gave it
	inodes map[inode]bool
	bases  map[string]bool // the names of everything in it
}

// Path is its path on the host.
func (t *Tree) Path() string { return t.Dir + "/" + t.Name }

// label is what people call it.
func (t *Tree) label() string {
	if t.Version.Known() {
		return t.Version.String()
	}
	return t.Name
}

// Trees lists every entry of the directory of versions, and looks through
// those that may ever be removed. No such directory: no trees.
func Trees(ctx context.Context, root fs.FS, p Product, dir string) ([]*Tree, error) {
	real, err := newPaths(root).resolve(dir)
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	entries, err := fs.ReadDir(root, below(real))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	var trees []*Tree
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		t, err := readTree(ctx, root, p, dir, real, e.Name(), e.Name())
		if missing(err) {
			continue // gone meanwhile
		}
		if err != nil {
			return nil, err
		}
		trees = append(trees, t)
	}
	return trees, nil
}

// readTree looks through the tree that now has the name entry.
func readTree(ctx context.Context, root fs.FS, p Product, dir, real, name, entry string) (*Tree, error) {
	t := &Tree{Dir: dir, Name: name, entry: entry, inodes: map[inode]bool{}, bases: map[string]bool{name: true}}
	top := below(path.Join(real, entry))
	info, err := fs.Lstat(root, top)
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", t.Path(), err)
	}
	t.ID = identity(info)
	t.Oldest, t.Newest = t.ID.Ctime, t.ID.Stamp()
	if entry != name {
		t.Newest = t.ID.Mtime // the remover's rename is what changed it last
	}
	if !p.Match(name) {
		return t, nil
	}
	if !info.IsDir() {
		t.Flaw = "it is not a directory"
		return t, nil
	}
	t.Version = p.Version(name)
	parent, err := fs.Stat(root, below(real))
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", dir, err)
	}
	if identity(parent).Dev != t.ID.Dev {
		t.Flaw = "it is a file system of its own, not a directory of the data directory"
	}
	return t, t.walk(ctx, root, top)
}

func (t *Tree) walk(ctx context.Context, root fs.FS, top string) error {
	err := fs.WalkDir(root, top, func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && missing(err) && name != top:
			return nil // removed meanwhile: the directory it was in is new then
		case err != nil:
			return err
		}
		info, err := e.Info()
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		t.add(path.Base(name), identity(info), name != top)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("looking through %s: %w", t.Path(), err)
	}
	return err
}

// add takes one more inode in; inside: not the directory's own, whose times are
// known.
func (t *Tree) add(base string, id hostgc.Identity, inside bool) {
	t.bases[base] = true
	if id.Dev != t.ID.Dev && t.Flaw == "" {
		t.Flaw = "another file system is mounted below it, at " + base
	}
	if inside && id.Ctime.Before(t.Oldest) {
		t.Oldest = id.Ctime
	}
	if inside && id.Stamp().After(t.Newest) {
		t.Newest = id.Stamp()
	}
	n := inode{id.Dev, id.Ino}
	if id.Ino != 0 && t.inodes[n] {
		return // a second link
	}
	t.inodes[n] = true
	t.Bytes += id.Alloc
	t.Count++
}

// identity takes what the file system tells. A recorded or fake one may know
// the times alone.
func identity(info fs.FileInfo) hostgc.Identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return hostgc.Identity{Size: info.Size(), Alloc: info.Size(), Mtime: info.ModTime(), Ctime: info.ModTime()}
	}
	return hostgc.Identity{
		Dev: uint64(st.Dev), Ino: st.Ino, Mode: st.Mode, Nlink: uint32(st.Nlink), UID: st.Uid, //nolint:unconvert,gosec // their widths differ between architectures
		Size: st.Size, Alloc: st.Blocks * 512,
		Mtime: time.Unix(st.Mtim.Unix()), Ctime: time.Unix(st.Ctim.Unix()),
	}
}

// object is what the judge is shown: the tree as one thing, as new as the
// newest in it and as large as all of it.
func (t *Tree) object(kind string) hostgc.Object {
	o := hostgc.Object{Kind: kind, Dir: t.Dir, Name: t.Name, ID: t.ID, Flaw: t.Flaw, Refs: []hostgc.Ref{refTo(t.Dir, t.Name)}}
	o.ID.Ctime, o.ID.Mtime = t.Newest, t.Newest
	o.ID.Size, o.ID.Alloc = t.Bytes, t.Bytes
	return o
}
