package safefs

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

func TestRemove(t *testing.T) {
	root := host(t, "d/a", "d/b")
	d := openDir(t, root, "/d")
	r := remover(t, d)
	id := identify(t, d, "a")
	must(t, r.Remove("a", id))
	if d.Exists("a") || !d.Exists("b") {
		t.Error("not a, and a alone, was removed")
	}
	err := r.Remove("a", id)
	wantErr(t, err, ErrGone, "remove /d/a")
	wantErr(t, err, fs.ErrNotExist, "")
}

// Each case changes the file between judging and removing; what is at its
// name then must stay.
func TestRemoveOnlyWhatWasJudged(t *testing.T) {
	replaced := func(t *testing.T, file string) {
		write(t, file+".new", "content of a")
		must(t, os.Rename(file+".new", file))
	}
	inPlaceOf := func(make func(file string) error) func(*testing.T, string) {
		return func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, make(file))
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, file string)
		want   error
		text   string
	}{
		"replaced":      {replaced, ErrChanged, "inode is"},
		"rewritten":     {func(t *testing.T, f string) { write(t, f, "longer than it was before") }, ErrChanged, "size is 25, was 12"},
		"same size":     {func(t *testing.T, f string) { write(t, f, "CONTENT OF A") }, ErrChanged, "mtime is"},
		"mode":          {func(t *testing.T, f string) { must(t, os.Chmod(f, 0o644)) }, ErrChanged, "mode is 0100644, was 0100600"},
		"mtime set":     {setMtime, ErrChanged, "mtime is"},
		"hard link":     {func(t *testing.T, f string) { must(t, os.Link(f, f+"2")) }, ErrLinked, "2"},
		"now a symlink": {inPlaceOf(func(f string) error { return os.Symlink("b", f) }), ErrNotRegular, "symlink"},
		"now a dir":     {inPlaceOf(func(f string) error { return os.Mkdir(f, 0o700) }), ErrNotRegular, "directory"},
		"now a FIFO":    {inPlaceOf(func(f string) error { return unix.Mkfifo(f, 0o600) }), ErrNotRegular, "FIFO"},
	} {
		t.Run(name, func(t *testing.T) {
			root := host(t, "d/a", "d/b")
			d := openDir(t, root, "/d")
			id := identify(t, d, "a")
			c.change(t, filepath.Join(root, "d/a"))
			wantErr(t, remover(t, d).Remove("a", id), c.want, c.text)
			if !d.Exists("a") || !d.Exists("b") {
				t.Error("it was removed all the same")
			}
		})
	}
}

func setMtime(t *testing.T, file string) {
	info, err := os.Stat(file)
	must(t, err)
	must(t, os.Chtimes(file, info.ModTime(), info.ModTime().Add(1)))
}

// What was judged in its odd state is refused for that state.
func TestRemoveRefusesOddFiles(t *testing.T) {
	needRoot(t)
	root := host(t, "d/linked", "d/owned", "d/link -> linked", "d/sub/x")
	must(t, os.Link(filepath.Join(root, "d/linked"), filepath.Join(root, "elsewhere")))
	must(t, os.Chown(filepath.Join(root, "d/owned"), 1000, 1000))
	d := openDir(t, root, "/d")
	for name, want := range map[string]error{
		"linked": ErrLinked, "owned": ErrOwner, "link": ErrNotRegular, "sub": ErrNotRegular,
	} {
		id, _ := d.Identify(name)
		wantErr(t, remover(t, d).Remove(name, id), want, "/d/"+name)
		if !d.Exists(name) {
			t.Errorf("%s was removed", name)
		}
	}
}

func TestRemoveKeepsWithinItsBounds(t *testing.T) {
	root := host(t, "d/foreign", "d/sub/x", "outside")
	d := openDir(t, root, "/d")
	r := remover(t, d)
	id := func(path string) hostgc.Identity {
		return identify(t, openDir(t, root, filepath.Dir(path)), filepath.Base(path))
	}
	for name, judged := range map[string]hostgc.Identity{
		"foreign": id("/d/foreign"), "sub/x": id("/d/sub/x"), "../outside": id("/outside"), "/outside": id("/outside"),
		"": {}, ".": {}, "..": {}, "a\x00": {},
	} {
		wantErr(t, r.Remove(name, judged), ErrOutside, "")
	}
	for _, path := range []string{"d/foreign", "d/sub/x", "outside"} {
		if !exists(filepath.Join(root, path)) {
			t.Errorf("%s was removed", path)
		}
	}
	if _, err := d.Remover(nil); err == nil {
		t.Error("a remover without bounds was given")
	}
}

func TestRemoveInThePinnedDirectory(t *testing.T) {
	root := host(t, "data/multus/a", "var/lib/cni -> /data", "other/multus/a")
	d := openDir(t, root, "/var/lib/cni/multus")
	id := identify(t, d, "a")
	must(t, os.Remove(filepath.Join(root, "var/lib/cni")))
	must(t, os.Symlink("/other", filepath.Join(root, "var/lib/cni")))
	must(t, remover(t, d).Remove("a", id))
	if exists(filepath.Join(root, "data/multus/a")) || !exists(filepath.Join(root, "other/multus/a")) {
		t.Error("not the pinned directory's entry was removed")
	}
}
