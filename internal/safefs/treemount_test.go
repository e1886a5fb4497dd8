package safefs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Binds of the same file system, on which st_dev shows nothing, made before
// each of the steps, on each kind of place. Whatever was removed of the tree
// until then, nothing of what is mounted goes.
func TestTreeWithAMount(t *testing.T) {
	if !withMounts(t) {
		return
	}
	for _, c := range []struct{ step, on string }{
		{"survey " + tree, ""},
		{"survey " + tree, "bin"},
		{"survey " + tree, "bin/aux"},
		{"survey " + tree, "bin/runc"},
		{"rename " + tree + " to " + aside(tree), ""},
		{"rename " + tree + " to " + aside(tree), "bin/aux"},
		{"recheck", ""},
		{"recheck", "charts/a.yaml"},
		{"rename " + aside(tree) + " to " + removing(tree), ""},
		{"rename " + aside(tree) + " to " + removing(tree), "bin"},
		{"sync", ".extracted"},
		{"unlink " + tree + "/.extracted", ".extracted"},
		{"unlink " + tree + "/bin/containerd", "bin/runc"},
		{"unlink " + tree + "/bin/containerd", "bin/containerd"},
		{"unlink " + tree + "/bin/containerd", "charts"},
		{"unlink " + tree + "/bin/runc", "bin"},
		{"rmdir " + tree + "/charts", "charts"},
	} {
		t.Run(c.step+", on "+c.on, func(t *testing.T) { testMount(t, c.step, c.on) })
	}
}

func testMount(t *testing.T, step, on string) {
	root, d := rke2(t)
	live := untouched(t, root+"/live")
	r := treeRemover(t, d, trees())
	r.at(step, func() error {
		place := existing(root+"/data/"+tree, root+"/data/"+aside(tree), root+"/data/"+removing(tree)) + "/" + on
		source := root + "/live/dir"
		if info, err := os.Stat(place); err == nil && !info.IsDir() {
			source = root + "/live/file"
		}
		return unix.Mount(source, strings.TrimSuffix(place, "/"), "", unix.MS_BIND, "")
	})
	gone, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	wantErr(t, err, ErrMounted, tree)
	live()
	top := existing(root+"/data/"+tree, root+"/data/"+aside(tree), root+"/data/"+removing(tree))
	if want := root + "/data/" + tree; gone.Entries == 0 && on != "" && top != want {
		t.Errorf("it stays at %s, %v", top, err)
	}

	_, err = r.Resume(context.Background(), unused)
	if top != root+"/data/"+tree {
		wantErr(t, err, ErrMounted, tree)
	}
	live()
	top = existing(root+"/data/"+tree, root+"/data/"+aside(tree), root+"/data/"+removing(tree))
	must(t, unix.Unmount(strings.TrimSuffix(top+"/"+on, "/"), 0))
	finish(t, r)
	wantNames(t, d, "current")
	live()
}

func existing(paths ...string) string {
	for _, path := range paths {
		if exists(path) {
			return path
		}
	}
	return "nothing"
}

// finish does what the next run does: it resumes, and removes what was
// restored.
func finish(t *testing.T, r *TreeRemover) {
	t.Helper()
	_, err := r.Resume(context.Background(), unused)
	must(t, err)
	if r.dir.Exists(tree) {
		_, err := r.Remove(context.Background(), tree, judged(t, r.dir, tree), unused)
		must(t, err)
	}
}

// A tree that is the source of a mount shows nothing by itself. Location, of
// the name that recheck is given, finds it.
func TestTreeThatIsTheSourceOfAMount(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root, d := rke2(t)
	must(t, os.Mkdir(root+"/opt", 0o755))
	mount(t, root+"/data/"+tree+"/bin", root+"/opt", "", unix.MS_BIND, "")
	all := untouched(t, root)
	loc, err := d.Location()
	must(t, err)
	inMounts := func(_ context.Context, renamed string) error {
		mounts, err := os.ReadFile("/proc/self/mountinfo")
		must(t, err)
		if path := loc[strings.LastIndex(loc, ":")+1:] + "/" + renamed; bytes.Contains(mounts, []byte(" "+path+"/")) {
			return fmt.Errorf("source of a mount: %w", errInUse)
		}
		return nil
	}
	r := treeRemover(t, d, trees())
	_, err = r.Remove(context.Background(), tree, judged(t, d, tree), inMounts)
	wantErr(t, err, errInUse, "source of a mount")
	all()
	must(t, unix.Unmount(root+"/opt", 0))
	_, err = r.Remove(context.Background(), tree, judged(t, d, tree), inMounts)
	must(t, err)
	wantNames(t, d, "current")
}

// A btrfs subvolume is no mount, so RESOLVE_NO_XDEV walks into it, but it has
// a device of its own. Here a mount stands for it, on a kernel that does not
// see mounts.
func TestTreeWithASubvolume(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root, _ := rke2(t)
	k := thisKernel()
	k.openat2 = func(dirfd int, path string, flags int, resolve uint64) (int, error) {
		return openat2(dirfd, path, flags, resolve&^unix.RESOLVE_NO_XDEV)
	}
	d := openDirOn(t, root, "/data", k)
	mount(t, "tmpfs", root+"/data/"+tree+"/bin/aux", "tmpfs", 0, "")
	write(t, root+"/data/"+tree+"/bin/aux/x", "of the subvolume")
	all := untouched(t, root)
	_, err := treeRemover(t, d, trees()).Remove(context.Background(), tree, judged(t, d, tree), unused)
	wantErr(t, err, ErrMounted, tree+"/bin/aux: another file system or subvolume")
	all()
}

// An overlay renames no directory of its lower layer in place, and gives files
// and directories different devices.
func TestTreeOnOverlay(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "data/", "lower/data/", "disk/")
	growTree(t, root+"/lower")
	mount(t, "tmpfs", root+"/disk", "tmpfs", 0, "")
	must(t, os.MkdirAll(root+"/disk/upper", 0o755))
	must(t, os.MkdirAll(root+"/disk/work", 0o755))
	mount(t, "overlay", root+"/data", "overlay", 0,
		"redirect_dir=off,lowerdir="+root+"/lower/data,upperdir="+root+"/disk/upper,workdir="+root+"/disk/work")
	all := untouched(t, root+"/data")
	d := openDir(t, root, "/data")
	r := treeRemover(t, d, trees())
	_, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	wantErr(t, err, unix.EXDEV, "this file system cannot rename it in place")
	all()

	must(t, os.RemoveAll(root+"/data/"+tree))
	growTree(t, root)
	gone, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	must(t, err)
	if gone.Entries != 11 {
		t.Errorf("removed %+v", gone)
	}
	wantNames(t, d)
}

func TestTreeRemovalNeedsNoFreeInode(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "data/")
	mount(t, "tmpfs", root+"/data", "tmpfs", 0, "nr_inodes=20")
	growTree(t, root)
	filler := 0
	for ; ; filler++ {
		if err := unix.Mknod(fmt.Sprintf("%s/data/filler%d", root, filler), unix.S_IFREG|0o600, 0); err != nil {
			wantErr(t, err, unix.ENOSPC, "")
			break
		}
	}
	d := openDir(t, root, "/data")
	r := treeRemover(t, d, trees())
	_, err := r.Remove(context.Background(), tree, judged(t, d, tree), inUse)
	wantErr(t, err, errInUse, "")
	gone, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
	must(t, err)
	if d.Exists(tree) || gone.Inodes != 11 || len(names(t, d)) != filler {
		t.Errorf("removed %+v, left %v", gone, names(t, d))
	}
}

func TestTreeOnReadOnlyFileSystem(t *testing.T) {
	if !withMounts(t) {
		return
	}
	for _, step := range []string{"survey " + tree, "sync", "unlink " + tree + "/bin/runc"} {
		root := host(t, "data/")
		mount(t, "tmpfs", root+"/data", "tmpfs", 0, "")
		growTree(t, root)
		d := openDir(t, root, "/data")
		r := treeRemover(t, d, trees())
		r.at(step, func() error { return unix.Mount("", root+"/data", "", unix.MS_REMOUNT|unix.MS_RDONLY, "") })
		_, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
		wantErr(t, err, unix.EROFS, tree)
		must(t, unix.Mount("", root+"/data", "", unix.MS_REMOUNT, ""))
		finish(t, r)
		wantNames(t, d)
	}
}
