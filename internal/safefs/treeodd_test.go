package safefs

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Only the name goes, and only what no other name is left of counts as freed.
func TestTreeWithHardLinks(t *testing.T) {
	root, d := rke2(t)
	must(t, os.Link(root+"/data/"+tree+"/bin/runc", root+"/live/runc"))
	must(t, os.Link(root+"/data/"+tree+"/bin/containerd", root+"/data/"+tree+"/charts/containerd"))
	live := untouched(t, root+"/live")
	gone, err := treeRemover(t, d, trees()).Remove(context.Background(), tree, judged(t, d, tree), unused)
	must(t, err)
	if gone.Entries != 12 || gone.Inodes != 10 {
		t.Errorf("removed %+v; want 12 entries with 10 inodes, because one has two names and one stays", gone)
	}
	live()
}

func TestTreeWithImmutableFile(t *testing.T) {
	needRoot(t)
	for _, file := range []string{"/bin/runc", "/charts", ""} {
		root, d := rke2(t)
		all := untouched(t, root)
		setFlags(t, root+"/data/"+tree+file, unix.STATX_ATTR_IMMUTABLE)
		id := judged(t, d, tree)
		_, err := treeRemover(t, d, trees()).Remove(context.Background(), tree, id, unused)
		wantErr(t, err, ErrImmutable, tree+file+": marked immutable")
		setFlags(t, root+"/data/"+tree+file, 0)
		all()
	}
}

// The flag comes too late to be seen.
func TestTreeWithFileThatBecomesImmutable(t *testing.T) {
	needRoot(t)
	for _, c := range []struct {
		step, file, where, text string
	}{
		{"sync", ".extracted", tree, "remove " + tree + "/.extracted"},
		{"unlink " + tree + "/bin/containerd", "bin/runc", removing(tree), "entries are removed, the rest stays at /data/" + removing(tree)},
	} {
		root, d := rke2(t)
		r := treeRemover(t, d, trees())
		r.at(c.step, func() error {
			setFlags(t, root+"/data/"+removing(tree)+"/"+c.file, unix.STATX_ATTR_IMMUTABLE)
			return nil
		})
		_, err := r.Remove(context.Background(), tree, judged(t, d, tree), unused)
		setFlags(t, root+"/data/"+c.where+"/"+c.file, 0)
		wantErr(t, err, unix.EPERM, c.text)
		wantNames(t, d, "current", c.where)
		finish(t, r)
		wantNames(t, d, "current")
	}
}

// setFlags sets flags as chattr does. The immutable flag is the same bit as
// in statx.
func setFlags(t *testing.T, path string, flags int) {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	must(t, err)
	must(t, unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags))
	must(t, unix.Close(fd))
	if flags != 0 {
		t.Cleanup(func() { // or the test's directory cannot be removed
			if fd, err := unix.Open(path, unix.O_RDONLY, 0); err == nil {
				_ = unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0)
				_ = unix.Close(fd)
			}
		})
	}
}

// What the kernel promises: inodes in use outlive their names.
func TestTreeInUseWorksOn(t *testing.T) {
	root, d := rke2(t)
	top := root + "/data/" + tree
	binary, err := exec.LookPath("cat")
	must(t, err)
	code, err := os.ReadFile(binary)
	must(t, err)
	must(t, os.WriteFile(top+"/bin/cat", code, 0o755)) // #nosec G306: an executable
	open, err := os.Open(top + "/bin/runc")
	must(t, err)
	defer func() { must(t, open.Close()) }()
	cat := exec.Command(top + "/bin/cat")
	cat.Dir = top + "/charts"
	in, err := cat.StdinPipe()
	must(t, err)
	out, err := cat.StdoutPipe()
	must(t, err)
	must(t, cat.Start())

	_, err = treeRemover(t, d, trees()).Remove(context.Background(), tree, judged(t, d, tree), unused)
	must(t, err)
	wantNames(t, d, "current")
	_, err = io.WriteString(in, "still here")
	must(t, err)
	must(t, in.Close())
	said, err := io.ReadAll(out)
	if err != nil || string(said) != "still here" || cat.Wait() != nil {
		t.Errorf("the process says %q, %v", said, err)
	}
	content, err := io.ReadAll(open)
	if err != nil || !strings.Contains(string(content), "content of bin/runc") {
		t.Errorf("the open file has %q, %v", content, err)
	}
}
