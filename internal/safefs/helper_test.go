package safefs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// withMounts runs the test in a process with a mount namespace of its own, so
// that nothing it mounts is seen by the machine. It reports true there.
func withMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(envMounts) == t.Name() {
		return true
	}
	needRoot(t)
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), envMounts+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS} // Go makes the mounts private too
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) {
		t.Skip("SKIPPED, NOTHING WAS TESTED: a mount namespace needs CAP_SYS_ADMIN")
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Fatalf("in its mount namespace: %v\n%s", err, out)
	}
	return false
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOTHING WAS TESTED: this test needs root")
	}
}

func mount(t *testing.T, source, target, fstype string, flags uintptr, data string) {
	t.Helper()
	must(t, unix.Mount(source, target, fstype, flags, data))
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
}

// host makes a directory that stands for a node's root. A file's name ends in
// what it is: "/" a directory, "name -> target" a symlink.
func host(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		link, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(root, link)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case isLink:
			must(t, os.Symlink(target, path))
		case strings.HasSuffix(name, "/"):
			must(t, os.MkdirAll(path, 0o755))
		default:
			write(t, path, "content of "+filepath.Base(name))
		}
	}
	return root
}

func openDir(t *testing.T, root, dir string) *Dir {
	t.Helper()
	return openDirOn(t, root, dir, thisKernel())
}

func openDirOn(t *testing.T, root, dir string, k kernel) *Dir {
	t.Helper()
	r, err := openRoot(root, k)
	must(t, err)
	t.Cleanup(func() { must(t, r.Close()) })
	d, err := r.OpenDir(dir)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func remover(t *testing.T, d *Dir) *Remover {
	t.Helper()
	r, err := d.Remover(func(name string) bool { return !strings.HasPrefix(name, "foreign") })
	must(t, err)
	return r
}

func identify(t *testing.T, d *Dir, name string) hostgc.Identity {
	t.Helper()
	id, err := d.Identify(name)
	must(t, err)
	return id
}

func names(t *testing.T, d *Dir) []string {
	t.Helper()
	var out []string
	for e, err := range d.Entries(context.Background()) {
		must(t, err)
		out = append(out, e.Name)
	}
	return out
}

func write(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func wantErr(t *testing.T, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), text) {
		t.Fatalf("got error %v, want %v, with %q", err, want, text)
	}
}
