package safefs

import (
	"context"
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// swaps is even, so that all is in its place afterwards.
const swaps = 400

// swap lets an entry of a tree change places with an entry beside the trees,
// whatever the tree is called meanwhile.
func swap(t *testing.T, top int, entry, foreign string) (wait func()) {
	done := make(chan error, 1)
	go func() {
		defer close(done)
		for range swaps {
			err := unix.Renameat2(top, entry, unix.AT_FDCWD, foreign, unix.RENAME_EXCHANGE)
			if err != nil {
				if err != unix.ENOENT { // one of the two was removed
					done <- err
				}
				return
			}
		}
	}()
	return func() {
		t.Helper()
		must(t, <-done)
	}
}

// Directories and files of the tree change places with symlinks to what is
// alive, and with a live directory itself, while the tree is removed. Nothing
// that a symlink leads to is touched, and a directory that was not found
// before is not emptied.
func TestTreeEntriesExchanged(t *testing.T) {
	for name, c := range map[string]struct{ entry, foreign string }{
		"directory and symlink":        {"bin", "evil"},
		"file and symlink":             {"bin/runc", "evilfile"},
		"directory and live directory": {"charts", "moved"},
	} {
		t.Run(name, func(t *testing.T) {
			refused := 0
			for range 150 {
				root := host(t, "data/", "live/dir/x", "live/file", "moved/x",
					"evil -> live/dir", "evilfile -> live/file")
				growTree(t, root)
				refused += raceOnce(t, root, c.entry, root+"/"+c.foreign)
			}
			if refused == 0 {
				t.Error("the race never happened")
			}
		})
	}
}

func raceOnce(t *testing.T, root, entry, foreign string) (refused int) {
	t.Helper()
	d := openDir(t, root, "/data")
	live := untouched(t, root+"/live")
	top, err := unix.Open(root+"/data/"+tree, unix.O_PATH|unix.O_DIRECTORY, 0)
	must(t, err)
	defer func() { must(t, unix.Close(top)) }()
	r := treeRemover(t, d, trees())
	var wait func()
	r.at("unlink "+tree+"/.extracted", func() error {
		wait = swap(t, top, entry, foreign)
		return nil
	})
	_, err = r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	wait()
	live()
	moved := existing(root+"/moved/x", root+"/data/"+removing(tree)+"/charts/x")
	if moved == "nothing" {
		t.Errorf("a directory that was moved into the tree was emptied, %v", err)
	}
	// RESOLVE_BENEATH gives EXDEV, like a mount, for what is moved away while it
	// is looked up.
	for _, reason := range []error{ErrChanged, ErrGone, ErrMounted, unix.ENOTDIR} {
		if errors.Is(err, reason) {
			return 1
		}
	}
	must(t, err)
	return 0
}
