package safefs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

func TestFSIsAFileSystem(t *testing.T) {
	root := host(t, "var/lib/cni/multus/a", "var/lib/cni/multus/b", "var/lib/cni/empty/", "run/x", "var/run -> /run")
	r, err := OpenRoot(root)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	must(t, fstest.TestFS(r.FS(), "var/lib/cni/multus/a", "var/lib/cni/empty", "run/x", "var/run"))
}

func TestFSFollowsSymlinksInsideTheRoot(t *testing.T) {
	root := host(t, "run/netns/x", "var/run -> /run", "etc/hostname",
		"var/up -> ../../../../../../../etc", "data/rancher/y", "var/lib/rancher -> ../../data/rancher")
	for _, missing := range []error{nil, unix.ENOSYS} {
		r, err := openRoot(root, kernelWithout(missing))
		must(t, err)
		for name, absolute := range map[string]bool{"var/run/netns/x": true, "var/up/hostname": true, "var/lib/rancher/y": false} {
			if missing != nil && absolute {
				continue // the fallback leaves the root: see Root.open
			}
			data, err := fs.ReadFile(r.FS(), name)
			if want := "content of " + filepath.Base(name); err != nil || string(data) != want {
				t.Errorf("openat2 %v: %s: got %q, %v; want %q", missing, name, data, err, want)
			}
		}
		must(t, r.Close())
	}
}

func TestFSReadsLinksOfProcfs(t *testing.T) {
	r, err := OpenRoot("/")
	must(t, err)
	defer func() { must(t, r.Close()) }()
	want, err := os.Readlink("/proc/self/ns/net")
	must(t, err)
	if got, err := fs.ReadLink(r.FS(), "proc/self/ns/net"); got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := fs.ReadLink(r.FS(), "proc"); !errors.Is(err, unix.EINVAL) {
		t.Errorf("link of a directory: got %v, want EINVAL", err)
	}
	if data, err := fs.ReadFile(r.FS(), "proc/self/cmdline"); err != nil || len(data) == 0 {
		t.Errorf("a file without a size: got %d bytes, %v", len(data), err)
	}
	if _, err := fs.ReadFile(r.FS(), "proc/self/exe"); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a magic link: got %v, want ELOOP", err)
	}
}

// A FIFO would block here for ever if it were opened as os.Open does, and to
// open a device may be enough to make it act.
func TestFSOpensNothingThatActs(t *testing.T) {
	root := host(t, "etc/conf", "etc/link -> fifo")
	fifo := filepath.Join(root, "etc/fifo")
	must(t, unix.Mkfifo(fifo, 0o600))
	opened := watchOpen(t, fifo)
	r, err := OpenRoot(root)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	for _, name := range []string{"etc/fifo", "etc/link"} {
		_, err := r.FS().Open(name)
		wantErr(t, err, ErrNotRegular, name)
	}
	_, err = openDir(t, root, "/etc").Identify("fifo")
	wantErr(t, err, ErrNotRegular, "/etc/fifo")
	if opened() {
		t.Error("the FIFO was opened")
	}
	_, err = fs.ReadDir(r.FS(), "etc/conf")
	wantErr(t, err, unix.ENOTDIR, "etc/conf")
}

// watchOpen reports whether a file was opened since; to look at it by O_PATH
// does not count.
func watchOpen(t *testing.T, path string) func() bool {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	must(t, err)
	t.Cleanup(func() { must(t, unix.Close(fd)) })
	_, err = unix.InotifyAddWatch(fd, path, unix.IN_OPEN)
	must(t, err)
	return func() bool {
		n, err := unix.Read(fd, make([]byte, 4096))
		if err != unix.EAGAIN {
			must(t, err)
		}
		return n > 0
	}
}

func TestFSRefusesWhatDoesNotFitIntoMemory(t *testing.T) {
	root := host(t, "huge")
	must(t, os.Truncate(filepath.Join(root, "huge"), maxWhole+1))
	r, err := OpenRoot(root)
	must(t, err)
	defer func() { must(t, r.Close()) }()
	_, err = fs.ReadFile(r.FS(), "huge")
	wantErr(t, err, ErrTooLarge, "huge")
}

func TestOpenDir(t *testing.T) {
	root := host(t, "data/rancher/cni/a", "data/rancher/cni/dangling -> none",
		"var/lib/rancher -> /data/rancher", "file", "loop -> loop")
	r, err := OpenRoot(root)
	must(t, err)
	defer func() { must(t, r.Close()) }()

	d, err := r.OpenDir("/var/lib/rancher/cni")
	must(t, err)
	defer func() { must(t, d.Close()) }()
	if !d.Exists("a") || d.Exists("b") || d.Path() != "/var/lib/rancher/cni" {
		t.Errorf("%s: not the relocated directory", d.Path())
	}
	if !d.Exists("../cni/dangling") || d.Exists("../dangling") {
		t.Error("Exists follows a symlink, or does not leave the directory")
	}
	for name, want := range map[string]error{
		"/none/at/all": fs.ErrNotExist, "/file": unix.ENOTDIR, "/loop": unix.ELOOP,
	} {
		_, err := r.OpenDir(name)
		wantErr(t, err, want, name)
	}
	if _, err := r.OpenDir("var/lib"); err == nil {
		t.Error("a relative path was opened")
	}
}

// The descriptor's number belongs to somebody else after Close.
func TestClosedIsNotSomebodyElse(t *testing.T) {
	r, err := OpenRoot(host(t, "d/a"))
	must(t, err)
	d, err := r.OpenDir("/d")
	must(t, err)
	number := d.fd
	must(t, d.Close())
	other, err := r.OpenDir("/d")
	must(t, err)
	if other.fd != number {
		t.Fatalf("descriptor %d was not used again", number)
	}
	if err := d.Close(); err != unix.EBADF || d.Exists("a") || !other.Exists("a") {
		t.Errorf("second Close: %v, want EBADF; the closed one answers: %v", err, d.Exists("a"))
	}
	must(t, other.Close())
	must(t, r.Close())
	if _, err := r.OpenDir("/d"); !errors.Is(err, unix.EBADF) {
		t.Errorf("open below a closed root: got %v, want EBADF", err)
	}
}
