package safefs

import (
	"context"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// k3s is a node whose trees have a lock, which is not there yet.
func k3s(t *testing.T) (file string, r *TreeRemover) {
	t.Helper()
	root, d := rke2(t)
	trees := trees()
	trees.Lock = ".lock"
	return root + "/data/.lock", treeRemover(t, d, trees)
}

func lockedByOwner(t *testing.T, file string) {
	t.Helper()
	fd, err := unix.Open(file, unix.O_CREAT|unix.O_RDWR, 0o600)
	must(t, err)
	t.Cleanup(func() { must(t, unix.Close(fd)) })
	must(t, unix.Flock(fd, unix.LOCK_EX))
}

func TestTreeWithoutItsLockIsLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, file string)
		want error
	}{
		"none":    {func(*testing.T, string) {}, fs.ErrNotExist},
		"held":    {lockedByOwner, unix.EWOULDBLOCK},
		"symlink": {func(t *testing.T, file string) { must(t, os.Symlink("current", file)) }, unix.ELOOP},
		"FIFO":    {func(t *testing.T, file string) { must(t, unix.Mkfifo(file, 0o600)) }, ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			file, r := k3s(t)
			c.make(t, file)
			before := names(t, r.dir)
			_, err := r.Remove(context.Background(), tree, judged(t, r.dir, tree), unused)
			wantErr(t, err, ErrLocked, "/data/.lock")
			wantErr(t, err, c.want, "")
			wantNames(t, r.dir, before...)
		})
	}
}

func TestTreeLockIsHeldThroughout(t *testing.T) {
	file, r := k3s(t)
	write(t, file, "")
	other, err := unix.Open(file, unix.O_RDWR, 0)
	must(t, err)
	defer func() { must(t, unix.Close(other)) }()
	locked, free := 0, 0
	r.fault = func(string) error {
		if err := unix.Flock(other, unix.LOCK_SH|unix.LOCK_NB); err == nil {
			free++
			return unix.Flock(other, unix.LOCK_UN)
		}
		locked++
		return nil
	}
	_, err = r.Remove(context.Background(), tree, judged(t, r.dir, tree), unused)
	must(t, err)
	if free != 1 || locked != 17 {
		t.Errorf("the owner could get its lock before %d steps, and not before %d; want the first alone", free, locked)
	}
	wantNames(t, r.dir, "current", ".lock")
	must(t, unix.Flock(other, unix.LOCK_EX|unix.LOCK_NB))
}

func TestTreeResumeNeedsTheLockOnlyForLeftovers(t *testing.T) {
	file, r := k3s(t)
	lockedByOwner(t, file)
	gone, err := r.Resume(context.Background(), unused)
	if err != nil || gone != nil {
		t.Errorf("with nothing to resume: %v, %v", gone, err)
	}
	must(t, unix.Renameat2(r.dir.fd, tree, r.dir.fd, aside(tree), unix.RENAME_NOREPLACE))
	_, err = r.Resume(context.Background(), unused)
	wantErr(t, err, ErrLocked, "finish removing /data/"+aside(tree))
	wantNames(t, r.dir, "current", ".lock", aside(tree))
}

// A lock file that is exchanged while it is opened is not the one that its
// owner locks.
func TestTreeLockExchanged(t *testing.T) {
	file, r := k3s(t)
	write(t, file, "")
	write(t, file+"2", "")
	id := judged(t, r.dir, tree)
	opens := 0
	r.dir.kernel.openat2 = func(dirfd int, path string, flags int, resolve uint64) (int, error) {
		fd, err := openat2(dirfd, path, flags, resolve)
		if opens++; opens == 1 {
			must(t, os.Rename(file+"2", file))
		}
		return fd, err
	}
	_, err := r.Remove(context.Background(), tree, id, unused)
	wantErr(t, err, ErrChanged, "/data/.lock")
	wantErr(t, err, ErrLocked, "")
	wantNames(t, r.dir, "current", ".lock", tree)
}
