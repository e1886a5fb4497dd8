package safefs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// exchanges is how often two names change places while hostgc works.
const exchanges = 20_000

// exchange lets a and b change places an even number of times, so that all is
// as it was in the end. The channel closes then.
func exchange(t *testing.T, a, b string) <-chan struct{} {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range exchanges {
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("exchange %s and %s: %v", a, b, err)
				return
			}
		}
	}()
	t.Cleanup(func() { <-done })
	return done
}

func running(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}

// A component of the path is exchanged for a symlink to a directory outside
// the root that looks just the same.
func TestOpenDirNeverLeavesTheRoot(t *testing.T) {
	outside := host(t, "multus/a")
	root := host(t, "var/lib/cni/multus/a", "evil -> "+outside)
	r, err := OpenRoot(root)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	trap := identify(t, openDir(t, outside, "/multus"), "a")

	opened := 0
	for done := exchange(t, filepath.Join(root, "var/lib/cni"), filepath.Join(root, "evil")); running(done); {
		d, err := r.OpenDir("/var/lib/cni/multus")
		if errors.Is(err, unix.ENOENT) { // the symlink, resolved inside the root
			continue
		}
		must(t, err)
		opened++
		if id := identify(t, d, "a"); id.Ino == trap.Ino {
			t.Fatal("the directory outside the root was opened")
		}
		must(t, d.Close())
	}
	if opened == 0 {
		t.Error("the directory was never opened, so nothing was tested")
	}
}

// openat2 gives EAGAIN for a ".." on the way while anything is renamed.
func TestOpenDirThroughDotDotWhileNamesAreExchanged(t *testing.T) {
	root := host(t, "data/rancher/a", "var/lib/rancher -> ../../data/rancher", "x/", "y/")
	r, err := OpenRoot(root)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	for done := exchange(t, filepath.Join(root, "x"), filepath.Join(root, "y")); running(done); {
		d, err := r.OpenDir("/var/lib/rancher")
		must(t, err)
		must(t, d.Close())
	}
}

// The directory is pinned, then its parent changes places with one whose
// entries have the same names.
func TestRemoveUnderExchangedParents(t *testing.T) {
	const entries = 500
	root := host(t, "var/lib/cni/multus/", "decoy/multus/")
	for i := range entries {
		write(t, filepath.Join(root, "var/lib/cni/multus", fmt.Sprint(i)), "stale")
		write(t, filepath.Join(root, "decoy/multus", fmt.Sprint(i)), "live!")
	}
	d := openDir(t, root, "/var/lib/cni/multus")
	r := remover(t, d)
	done := exchange(t, filepath.Join(root, "var/lib/cni"), filepath.Join(root, "decoy"))
	removed := 0
	for running(done) {
		for e, err := range d.Entries(context.Background()) {
			must(t, err)
			id, content, err := d.Read(e.Name, 100, nil)
			if err != nil || string(content) != "stale" {
				t.Fatalf("read %q, %v", content, err)
			}
			must(t, r.Remove(e.Name, id))
			removed++
		}
	}
	<-done
	live, err := os.ReadDir(filepath.Join(root, "decoy/multus"))
	if err != nil || removed != entries || len(live) != entries {
		t.Errorf("removed %d of %d; of the other directory's %d are left, %v", removed, entries, len(live), err)
	}
}

// The entry itself changes places with a symlink to a file outside. The moment
// between the last look and unlinkat can cost the symlink, never its target,
// and what is read is never the target's content.
func TestEntryExchangedForSymlink(t *testing.T) {
	root := host(t, "d/a", "outside")
	d := openDir(t, root, "/d")
	r := remover(t, d)
	target := filepath.Join(root, "outside")
	must(t, os.Symlink(target, filepath.Join(root, "d/foreign")))
	judged := identify(t, d, "a")
	judged.Ctime = judged.Ctime.Add(-1) // so that it is never removed, and every round is tested

	refused := map[error]int{}
	for done := exchange(t, filepath.Join(root, "d/a"), filepath.Join(root, "d/foreign")); running(done); {
		if _, content, err := d.Read("a", 100, nil); err == nil && string(content) != "content of a" {
			t.Fatalf("read %q through the symlink", content)
		}
		err := r.Remove("a", judged)
		for _, known := range []error{ErrChanged, ErrNotRegular} {
			if errors.Is(err, known) {
				refused[known]++
			}
		}
		if err == nil {
			t.Fatal("something was removed")
		}
	}
	if !exists(target) || !d.Exists("a") || !d.Exists("foreign") {
		t.Error("something was removed")
	}
	if refused[ErrChanged] == 0 || refused[ErrNotRegular] == 0 {
		t.Errorf("the race did not happen: %v", refused)
	}
}
