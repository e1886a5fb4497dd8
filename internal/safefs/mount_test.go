package safefs

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// st_dev is the same on both sides of these mounts.
func TestMountOfTheSameFileSystemOnAnEntry(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "d/a", "d/sub/x", "live/file", "live/dir/y")
	d := openDir(t, root, "/d")
	judged := identify(t, d, "a")
	mount(t, filepath.Join(root, "live/file"), filepath.Join(root, "d/a"), "", unix.MS_BIND, "")
	mount(t, filepath.Join(root, "live/dir"), filepath.Join(root, "d/sub"), "", unix.MS_BIND, "")

	_, _, err := d.Read("a", 100, nil)
	wantErr(t, err, ErrMounted, "/d/a")
	_, err = d.Identify("sub")
	wantErr(t, err, ErrMounted, "/d/sub")
	mounted := identify(t, openDir(t, root, "/live"), "file")
	wantErr(t, remover(t, d).Remove("a", judged), ErrMounted, unix.EXDEV.Error())
	wantErr(t, remover(t, d).Remove("a", mounted), ErrMounted, unix.EXDEV.Error())

	must(t, unix.Unmount(filepath.Join(root, "d/a"), 0))
	must(t, remover(t, d).Remove("a", judged))
	if !exists(filepath.Join(root, "live/file")) || !exists(filepath.Join(root, "live/dir/y")) {
		t.Error("what was mounted there is gone")
	}
}

func TestDirectoryMountedOverAfterPinning(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "d/a", "live/a")
	d := openDir(t, root, "/d")
	mount(t, filepath.Join(root, "live"), filepath.Join(root, "d"), "", unix.MS_BIND, "")
	_, content, err := d.Read("a", 100, nil)
	if err != nil || len(names(t, d)) != 1 {
		t.Fatalf("%q, %v, %v", content, err, names(t, d))
	}
	must(t, remover(t, d).Remove("a", identify(t, d, "a")))
	if len(names(t, d)) != 0 || !exists(filepath.Join(root, "live/a")) {
		t.Error("the directory mounted over the pinned one was touched")
	}
}

// What the package comment says of mounts in other mount namespaces: nothing
// shows here that the entry is one's mountpoint, and removing it detaches that
// mount there. If this fails, the comment is wrong for this kernel.
func TestMountOfAnotherNamespaceIsInvisible(t *testing.T) {
	needRoot(t)
	root := host(t, "d/a", "live")
	other := startSelf(t, envBind+"="+root+"/live:"+root+"/d/a", "mounted")
	d := openDir(t, root, "/d")
	must(t, remover(t, d).Remove("a", identify(t, d, "a")))
	if said := other.end(t); said != "detached" {
		t.Errorf("the mount there is %s", said)
	}
}

func TestRemovalNeedsNoFreeInode(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "d/")
	mount(t, "tmpfs", root+"/d", "tmpfs", 0, "nr_inodes=16")
	n := 0
	for ; ; n++ {
		if err := unix.Mknod(filepath.Join(root, "d", fmt.Sprint(n)), unix.S_IFREG|0o600, 0); err != nil {
			wantErr(t, err, unix.ENOSPC, "")
			break
		}
	}
	d := openDir(t, root, "/d")
	unlock, err := d.Lock(context.Background())
	must(t, err)
	defer unlock()
	r := remover(t, d)
	for _, name := range names(t, d) {
		must(t, r.Remove(name, identify(t, d, name)))
		n--
	}
	if n != 0 || len(names(t, d)) != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "d/")
	mount(t, "tmpfs", root+"/d", "tmpfs", 0, "")
	write(t, root+"/d/a", "content of a")
	d := openDir(t, root, "/d")
	r := remover(t, d)
	id := identify(t, d, "a")
	must(t, unix.Mount("", root+"/d", "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	wantErr(t, r.Remove("a", id), unix.EROFS, "remove /d/a: read-only file system")
	_, content, err := d.Read("a", 100, nil)
	if err != nil || string(content) != "content of a" {
		t.Errorf("after it: %q, %v", content, err)
	}
}

// The same directory has one location, however it is mounted and reached.
func TestLocation(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "disk/", "var/lib/rancher/", "link -> /var/lib/rancher", "deep/")
	mount(t, "tmpfs", root+"/disk", "tmpfs", 0, "")
	for _, dir := range []string{"/disk/k", "/disk/k/data with space", "/disk/k/data with space/x"} {
		must(t, unix.Mkdir(root+dir, 0o755))
	}
	mount(t, root+"/disk/k", root+"/var/lib/rancher", "", unix.MS_BIND, "")
	mount(t, root+"/disk/k/data with space", root+"/deep", "", unix.MS_BIND, "")

	const want = "/k/data with space/x"
	seen := map[string]bool{}
	for _, dir := range []string{"/disk" + want, "/var/lib/rancher/data with space/x", "/link/data with space/x", "/deep/x"} {
		loc, err := openDir(t, root, dir).Location()
		must(t, err)
		seen[loc] = true
		var st unix.Stat_t
		must(t, unix.Stat(root+"/disk", &st))
		if loc != fmt.Sprintf("%d:%d:%s", unix.Major(st.Dev), unix.Minor(st.Dev), want) {
			t.Errorf("%s lies at %s", dir, loc)
		}
	}
	top, err := openDir(t, root, "/disk").Location()
	if err != nil || !strings.HasSuffix(top, ":/") {
		t.Errorf("the top of a file system lies at %s, %v", top, err)
	}
}

func TestLocationOfWhatIsGone(t *testing.T) {
	if !withMounts(t) {
		return
	}
	root := host(t, "d/sub/", "m/")
	removed := openDir(t, root, "/d/sub")
	must(t, unix.Rmdir(root+"/d/sub"))
	_, err := removed.Location()
	wantErr(t, err, fs.ErrNotExist, "/d/sub")

	mount(t, "tmpfs", root+"/m", "tmpfs", 0, "")
	detached := openDir(t, root, "/m")
	must(t, unix.Unmount(root+"/m", unix.MNT_DETACH))
	if loc, err := detached.Location(); err == nil {
		t.Errorf("a mount that is nowhere lies at %s", loc)
	}
}
