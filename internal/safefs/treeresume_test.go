package safefs

import (
	"context"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTreeName(t *testing.T) {
	for renamed, want := range map[string]struct {
		name      string
		begun, ok bool
	}{
		aside("v1"): {"v1", false, true}, removing("v1"): {"v1", true, true}, "v1": {"v1", false, false},
	} {
		if name, begun, ok := TreeName(renamed); name != want.name || begun != want.begun || ok != want.ok {
			t.Errorf("%s: got %s, %v, %v", renamed, name, begun, ok)
		}
	}
}

// A downgrade makes the directory anew while the old one is set aside: neither
// replaces the other.
func TestTreeMadeAnewMeanwhile(t *testing.T) {
	root, d := rke2(t)
	r := treeRemover(t, d, trees())
	anew := func(ctx context.Context, _ string) error {
		growTree(t, root)
		return errInUse
	}
	_, err := r.Remove(context.Background(), tree, judged(t, d, tree), anew)
	wantErr(t, err, errInUse, "was made anew, so the old one stays at /data/"+aside(tree)+", and both are kept")
	wantNames(t, d, "current", tree, aside(tree))
	both := untouched(t, root)

	_, err = r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	wantErr(t, err, unix.EEXIST, "rename "+tree+" to "+aside(tree))
	both()
	_, err = r.Resume(context.Background(), inUse)
	wantErr(t, err, errInUse, "both are kept")
	both()

	fresh := untouched(t, root+"/data/"+tree)
	gone, err := r.Resume(context.Background(), unused)
	must(t, err)
	if len(gone) != 1 || gone[0].Name != tree || gone[0].Entries != 11 {
		t.Errorf("resumed %+v", gone)
	}
	wantNames(t, d, "current", tree)
	fresh()
}

// half leaves a tree half removed.
func half(t *testing.T, r *TreeRemover) {
	t.Helper()
	stop := errors.New("power is off")
	r.at("unlink "+tree+"/bin/runc", func() error { return stop })
	gone, err := r.Remove(context.Background(), tree, judged(t, r.dir, tree), unused)
	wantErr(t, err, stop, "5 entries are removed")
	if gone.Entries != 5 || !r.dir.Exists(removing(tree)) || r.dir.Exists(removing(tree)+"/.extracted") {
		t.Fatalf("half removed: %+v", gone)
	}
}

func TestTreeHalfRemovedIsNeverRestored(t *testing.T) {
	root, d := rke2(t)
	r := treeRemover(t, d, trees())
	half(t, r)
	rest := untouched(t, root)
	gone, err := r.Resume(context.Background(), inUse)
	wantErr(t, err, errInUse, "part of it is removed already, so it stays there")
	if len(gone) != 0 {
		t.Errorf("resumed %+v", gone)
	}
	rest()
	gone, err = r.Resume(context.Background(), unused)
	must(t, err)
	if len(gone) != 1 || gone[0].Entries != 6 {
		t.Errorf("resumed %+v", gone)
	}
	wantNames(t, d, "current")
}

// After a downgrade and an upgrade the same name is garbage again, while half
// of its first life is still there.
func TestTreeRemovedTwice(t *testing.T) {
	root, d := rke2(t)
	r := treeRemover(t, d, trees())
	half(t, r)
	growTree(t, root)
	anew := untouched(t, root)
	_, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	wantErr(t, err, unix.EEXIST, "rename "+aside(tree)+" to "+removing(tree))
	anew()

	must(t, os.Rename(root+"/data/"+tree, root+"/data/"+aside(tree)))
	gone, err := r.Resume(context.Background(), unused)
	must(t, err)
	if len(gone) != 2 || gone[0].Entries != 6 || gone[1].Entries != 11 {
		t.Errorf("resumed %+v; want the half tree, then the whole one", gone)
	}
	wantNames(t, d, "current")
}

func TestTreeResumeLeavesOthersAlone(t *testing.T) {
	root, d := rke2(t)
	must(t, os.MkdirAll(root+"/data/.hostgc-foreign/x", 0o755))
	must(t, os.MkdirAll(root+"/data/.hostgc-removing-/x", 0o755))
	must(t, os.Symlink(root+"/live/dir", root+"/data/.hostgc-removing-v1link"))
	write(t, root+"/data/.hostgc-removing-v1file", "a file")
	all := untouched(t, root)
	r := treeRemover(t, d, trees())
	_, err := r.Resume(context.Background(), unused)
	wantErr(t, err, unix.ENOTDIR, "v1file: it is a regular file")
	wantErr(t, err, unix.ENOTDIR, "v1link: it is a symlink")
	all()
}
