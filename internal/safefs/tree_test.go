package safefs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// The steps, in order: what the owner takes as the mark goes first, and each
// system call that changes something has a step before it.
func TestTreeRemoval(t *testing.T) {
	root, d := rke2(t)
	live := untouched(t, root+"/live")
	var steps []string
	r := treeRemover(t, d, trees())
	r.fault = func(step string) error {
		steps = append(steps, strings.ReplaceAll(step, tree, "T"))
		return nil
	}
	var renamed []string
	gone, err := r.Remove(context.Background(), tree, judged(t, d, tree), func(_ context.Context, name string) error {
		renamed = append(renamed, name)
		return nil
	})
	must(t, err)
	want := []string{
		"survey T", "rename T to .hostgc-T", "recheck", "survey .hostgc-T", "rename .hostgc-T to .hostgc-removing-T", "sync",
		"unlink T/.extracted",
		"unlink T/bin/aux/mount", "rmdir T/bin/aux", "unlink T/bin/containerd", "unlink T/bin/dir", "unlink T/bin/runc", "rmdir T/bin",
		"unlink T/charts/a.yaml", "unlink T/charts/link", "rmdir T/charts",
		"rmdir T",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{".hostgc-" + tree}, renamed); diff != "" {
		t.Error(diff)
	}
	if gone.Name != tree || gone.Entries != 11 || gone.Inodes != 11 || gone.Bytes == 0 {
		t.Errorf("it says that it removed %+v", gone)
	}
	wantNames(t, d, "current")
	live()
}

func TestTreeOrder(t *testing.T) {
	_, d := rke2(t)
	r := treeRemover(t, d, Trees{Match: trees().Match, First: []string{"charts", "none", ".extracted"}})
	var order []string
	r.fault = func(step string) error {
		_, path, _ := strings.Cut(step, tree+"/")
		if top, _, _ := strings.Cut(path, "/"); top != "" && !slices.Contains(order, top) {
			order = append(order, top)
		}
		return nil
	}
	_, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	must(t, err)
	if diff := cmp.Diff([]string{"charts", ".extracted", "bin"}, order); diff != "" {
		t.Error(diff)
	}
}

func TestTreeIsRestoredOnObjection(t *testing.T) {
	root, d := rke2(t)
	all := untouched(t, root)
	r := treeRemover(t, d, trees())
	gone, err := r.Remove(context.Background(), tree, judged(t, d, tree), inUse)
	wantErr(t, err, errInUse, "remove directory /data/"+tree+": it may be in use: process 7")
	if gone.Entries != 0 {
		t.Errorf("it says that it removed %+v", gone)
	}
	all()
	_, err = r.Remove(context.Background(), tree, judged(t, d, tree), nil)
	wantErr(t, err, err, "nobody looks")
	all()
}

// Each case changes the directory between judging and removing, or while it is
// removed. It must be whole in its place then.
func TestTreeThatChanged(t *testing.T) {
	const early, late = "survey " + tree, "recheck"
	for name, c := range map[string]struct {
		step   string
		change func(top string) error
		want   error
		text   string
	}{
		"judged, then written to":      {early, func(top string) error { return os.WriteFile(top+"/new", nil, 0o600) }, ErrChanged, "mtime is"},
		"judged, then chmod":           {early, func(top string) error { return os.Chmod(top, 0o700) }, ErrChanged, "mode is"},
		"judged, then made anew":       {early, makeAnew, ErrChanged, "inode is"},
		"judged, then given away":      {early, func(top string) error { return os.Chown(top, 1000, 0) }, ErrOwner, "uid 1000"},
		"set aside, then written to":   {late, func(top string) error { return os.WriteFile(top+"/bin/new", nil, 0o600) }, ErrChanged, "bin changed"},
		"set aside, file rewritten":    {late, func(top string) error { return os.WriteFile(top+"/bin/runc", nil, 0o600) }, ErrChanged, "size is 0"},
		"set aside, a link put in":     {late, func(top string) error { return os.Symlink("/", top+"/bin/aux/root") }, ErrChanged, "aux changed"},
		"set aside, file renamed":      {late, func(top string) error { return os.Rename(top+"/bin/runc", top+"/bin/runc2") }, ErrChanged, "bin changed"},
		"set aside, new entry hidden":  {late, hideEntry, ErrChanged, "the entries of"},
		"set aside, then made anew":    {late, makeAnew, ErrChanged, "inode is"},
		"a socket in it":               {early, func(top string) error { return unix.Mknod(top+"/bin/s", unix.S_IFSOCK, 0) }, ErrNotRegular, "bin/s: a socket among files"},
		"a device in it":               {early, func(top string) error { return unix.Mknod(top+"/bin/n", unix.S_IFCHR, 0x103) }, ErrNotRegular, "character device"},
		"deeper than a data directory": {early, deepen, ErrTooLarge, "no data directory"},
	} {
		t.Run(name, func(t *testing.T) {
			needRoot(t)
			root, d := rke2(t)
			id := judged(t, d, tree)
			r := treeRemover(t, d, trees())
			var before map[string]string
			r.at(c.step, func() error {
				top := root + "/data/" + tree
				if c.step == late {
					top = root + "/data/" + aside(tree)
				}
				must(t, c.change(top))
				before = contents(t, top)
				return nil
			})
			_, err := r.Remove(context.Background(), tree, id, unused)
			wantErr(t, err, c.want, c.text)
			if diff := cmp.Diff(before, contents(t, root+"/data/"+tree)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func makeAnew(top string) error {
	if err := os.Rename(top, filepath.Dir(top)+"/old"); err != nil {
		return err
	}
	return os.Mkdir(top, 0o755) // the old one keeps its inode, so this is another
}

// hideEntry sets the directory's mtime back; that its ctime is new means
// nothing after a rename.
func hideEntry(top string) error {
	info, err := os.Stat(top)
	if err != nil {
		return err
	}
	if err := os.WriteFile(top+"/new", nil, 0o600); err != nil {
		return err
	}
	return os.Chtimes(top, info.ModTime(), info.ModTime())
}

func deepen(top string) error {
	return os.MkdirAll(top+"/charts"+strings.Repeat("/d", maxTreeDepth), 0o755)
}

func TestTreeTooLarge(t *testing.T) {
	root, d := rke2(t)
	for i := range maxTreeEntries {
		must(t, os.Symlink("x", filepath.Join(root, "data", tree, "bin", fmt.Sprint(i))))
	}
	_, err := treeRemover(t, d, trees()).Remove(context.Background(), tree, judged(t, d, tree), unused)
	wantErr(t, err, ErrTooLarge, "10000 entries")
	wantNames(t, d, "current", tree)
}

func TestTreeBounds(t *testing.T) {
	root, d := rke2(t)
	must(t, os.MkdirAll(root+"/data/foreign/x", 0o755))
	must(t, os.Symlink(tree, root+"/data/v1link"))
	write(t, root+"/data/v1file", "a file")
	all := untouched(t, root)
	everything := trees()
	everything.Match = func(string) bool { return true }
	for _, c := range []struct {
		name   string
		trees  Trees
		want   error
		judged hostgc.Identity
	}{
		{"foreign", trees(), ErrOutside, judged(t, d, "foreign")},
		{tree + "/bin", everything, ErrOutside, hostgc.Identity{}},
		{"../live", everything, ErrOutside, hostgc.Identity{}},
		{"..", everything, ErrOutside, hostgc.Identity{}},
		{aside(tree), everything, ErrOutside, hostgc.Identity{}},
		{"removing-" + tree, everything, ErrOutside, hostgc.Identity{}},
		{"v1none", trees(), fs.ErrNotExist, hostgc.Identity{}},
		{"v1link", trees(), unix.ENOTDIR, hostgc.Identity{}},
		{"v1file", trees(), unix.ENOTDIR, hostgc.Identity{}},
	} {
		_, err := treeRemover(t, d, c.trees).Remove(context.Background(), c.name, c.judged, unused)
		wantErr(t, err, c.want, c.name)
		all()
	}
	if _, err := d.TreeRemover(Trees{}); err == nil {
		t.Error("a remover without bounds was given")
	}
	_, err := openDirOn(t, root, "/data", kernelWithout(unix.ENOSYS)).TreeRemover(trees())
	wantErr(t, err, ErrNoOpenat2, "Linux 5.6")
}

// The context ends at each step in turn: before the point of no return all is
// as it was; after it, no further step is taken and the rest is for Resume.
func TestTreeRemovalIsCancelled(t *testing.T) {
	const steps, restorable = 17, 6
	for n := 1; n <= steps; n++ {
		root, d := rke2(t)
		all := untouched(t, root)
		ctx, cancel := context.WithCancel(context.Background())
		r := treeRemover(t, d, trees())
		passed := 0
		r.fault = func(string) error {
			if passed++; passed == n {
				cancel()
			}
			return nil
		}
		gone, err := r.Remove(ctx, tree, judged(t, d, tree), unused)
		switch {
		case n == steps:
			must(t, err)
			wantNames(t, d, "current")
		case n <= restorable:
			wantErr(t, err, context.Canceled, tree)
			all()
		default:
			wantErr(t, err, context.Canceled, "")
			if passed-n > 1 || gone.Entries != n-restorable {
				t.Errorf("cancelled at step %d: %d steps, %+v", n, passed, gone)
			}
		}
	}
}
