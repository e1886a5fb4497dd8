package safefs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
)

const tree = "v1.30.7-rke2r1-0123456789ab"

// rke2 is a node with one old data directory, and what its links lead to.
func rke2(t *testing.T) (root string, d *Dir) {
	t.Helper()
	root = host(t, "data/current", "live/file", "live/dir/x")
	growTree(t, root)
	return root, openDir(t, root, "/data")
}

func growTree(t *testing.T, root string) {
	t.Helper()
	top := filepath.Join(root, "data", tree)
	for _, file := range []string{".extracted", "bin/containerd", "bin/runc", "bin/aux/mount", "charts/a.yaml"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(top, file)), 0o755))
		write(t, filepath.Join(top, file), "content of "+file)
	}
	must(t, os.Symlink(root+"/live/file", top+"/charts/link"))
	must(t, os.Symlink("../../../live/dir", top+"/bin/dir"))
}

func trees() Trees {
	return Trees{
		Match: func(name string) bool { return strings.HasPrefix(name, "v1") },
		First: []string{".extracted", "bin"},
	}
}

func treeRemover(t *testing.T, d *Dir, trees Trees) *TreeRemover {
	t.Helper()
	r, err := d.TreeRemover(trees)
	must(t, err)
	return r
}

// at does something before one step, and only once.
func (r *TreeRemover) at(step string, do func() error) {
	r.fault = func(now string) error {
		if now != step {
			return nil
		}
		r.fault = nil
		return do()
	}
}

func judged(t *testing.T, d *Dir, name string) hostgc.Identity {
	t.Helper()
	id, err := d.Identify(name)
	wantErr(t, err, ErrNotRegular, "directory")
	return id
}

func unused(context.Context, string) error { return nil }

var errInUse = errors.New("process 7 runs its shim")

func inUse(context.Context, string) error { return errInUse }

// contents gives each path below a directory, with what it is.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case e.IsDir():
			found[rel] = "directory"
		case e.Type() == fs.ModeSymlink:
			found[rel], err = os.Readlink(path)
		case !e.Type().IsRegular():
			found[rel] = e.Type().String()
		default:
			var b []byte
			b, err = os.ReadFile(path)
			found[rel] = string(b)
		}
		return err
	}))
	return found
}

// untouched remembers a directory, and reports whatever has changed since.
func untouched(t *testing.T, dir string) (check func()) {
	t.Helper()
	before := contents(t, dir)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Errorf("%s has changed (-before +after):\n%s", filepath.Base(dir), diff)
		}
	}
}

func wantNames(t *testing.T, d *Dir, want ...string) {
	t.Helper()
	set := map[string]bool{}
	for _, name := range names(t, d) {
		set[name] = true
	}
	wanted := map[string]bool{}
	for _, name := range want {
		wanted[name] = true
	}
	if diff := cmp.Diff(wanted, set); diff != "" {
		t.Errorf("names in %s (-want +got):\n%s", d.path, diff)
	}
}
