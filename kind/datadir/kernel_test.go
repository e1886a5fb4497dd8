package datadir_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
)

// The tests in this file ask the real kernel, and remove real directories. They
// run in a node of their own: this test binary again as PID 1 of new
// namespaces, with a /proc that shows these alone. Copies of it play
// containerd and the shims.
const roleVariable = "HOSTGC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "node":
		if err := beNode(); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	default: // a program of the distribution: it does what its arguments say, and stays
		if err := play(os.Args[1:]); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

func beNode() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	for _, f := range []string{"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"} {
		_ = unix.Unmount(f, unix.MNT_DETACH) // they say that the tests run in a pod
	}
	return unix.Mount("proc", "/proc", "proc", 0, "")
}

// kept holds what a player has open.
var kept []*os.File

func play(args []string) error {
	if len(args) == 0 {
		return nil
	}
	switch args[0] {
	case "open":
		f, err := os.Open(args[1])
		kept = append(kept, f)
		return err
	case "lock":
		f, err := os.Open(args[1])
		if err != nil {
			return err
		}
		kept = append(kept, f)
		return unix.Flock(int(f.Fd()), unix.LOCK_EX)
	case "chdir":
		return os.Chdir(args[1])
	case "map":
		f, err := os.Open(args[1])
		if err != nil {
			return err
		}
		_, err = unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE)
		return err
	case "bind":
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return err
		}
		return unix.Mount(args[1], args[2], "", unix.MS_BIND, "")
	}
	return fmt.Errorf("cannot play %q", args)
}

func onNode(t *testing.T) bool {
	t.Helper()
	if os.Getenv(roleVariable) == "node" {
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED against the kernel: needs root to make namespaces")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=120s")
	cmd.Env = append(os.Environ(), roleVariable+"=node")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("on a node of its own: %v\n%s", err, out)
	}
	return false
}

// machine is a node whose root is a temporary directory.
type machine struct {
	t    *testing.T
	top  string
	root *safefs.Root
	o    datadir.Options
}

func newMachine(t *testing.T, trees ...string) *machine {
	t.Helper()
	m := &machine{t: t, top: t.TempDir()}
	for _, name := range trees {
		m.copySelf(name, "containerd")
		m.copySelf(name, "containerd-shim-runc-v2")
		if err := os.WriteFile(m.path(name, ".extracted"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(data+newTree+"/bin", filepath.Join(m.top, "var/lib/rancher/rke2/bin")); err != nil {
		t.Fatal(err)
	}
	var err error
	if m.root, err = safefs.OpenRoot(m.top); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.root.Close() })
	dir, err := m.root.OpenDir(strings.TrimSuffix(data, "/"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	remover, err := dir.TreeRemover(rke2data.Product().Trees())
	if err != nil {
		t.Fatal(err)
	}
	m.o = datadir.Options{
		Mode: hostgc.ModeEnforce, Retain: datadir.RetainNone, Root: m.root.FS(), Proc: os.DirFS("/proc"), Remover: remover,
		Now:  func() time.Time { return time.Now().Add(48 * time.Hour) }, // what was just made is two days old
		Wait: func(context.Context, time.Duration) error { return nil },
	}
	m.start(newTree, "containerd")
	return m
}

func (m *machine) path(name, file string) string {
	return filepath.Join(m.top, data, name, file)
}

func (m *machine) copySelf(name, program string) { m.copyTo(m.path(name, "bin/"+program)) }

func (m *machine) copyTo(to string) {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	content, err := os.ReadFile(self)
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o700); err != nil {
		m.t.Fatal(err)
	}
}

// start runs a program out of a directory, and gives how to end it.
func (m *machine) start(name, program string, args ...string) func() {
	m.t.Helper()
	return m.run(exec.Command(m.path(name, "bin/"+program), args...))
}

// play runs this test binary from elsewhere.
func (m *machine) play(namespaces uintptr, args ...string) func() {
	m.t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	return m.run(cmd)
}

func (m *machine) run(cmd *exec.Cmd) func() {
	m.t.Helper()
	cmd.Env = append(cmd.Env, roleVariable+"=player")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	end := func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}
	m.t.Cleanup(end)
	if line, _ := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		m.t.Fatalf("%v: %s", cmd.Args, line)
	}
	return end
}

func (m *machine) clean() (datadir.Report, error) {
	return datadir.Clean(m.t.Context(), rke2data.Product(), rke2data.DefaultDir, m.o, nil)
}

func (m *machine) exists(name string) bool {
	_, err := os.Stat(filepath.Join(m.top, data, name))
	return err == nil
}

func (m *machine) wantKept(why string) {
	m.t.Helper()
	report, err := m.clean()
	if err != nil {
		m.t.Fatal(err)
	}
	e := entry(m.t, report, oldTree)
	if !m.exists(oldTree) || !strings.Contains(strings.Join(e.Reasons, "\n"), why) {
		m.t.Errorf("there: %v, %s because of %q, which is to say %q", m.exists(oldTree), e.Verdict, e.Reasons, why)
	}
}

func (m *machine) wantRemoved() {
	m.t.Helper()
	report, err := m.clean()
	if err != nil || m.exists(oldTree) || !entry(m.t, report, oldTree).Removed || report.Freed == 0 {
		m.t.Errorf("there: %v, %+v, %v", m.exists(oldTree), report.Entries, err)
	}
	if !m.exists(newTree) {
		m.t.Error("the current one is gone")
	}
}

func TestKernelUses(t *testing.T) {
	if !onNode(t) {
		return
	}
	m := newMachine(t, newTree, oldTree)
	end := m.start(oldTree, "containerd-shim-runc-v2")
	m.wantKept("still runs with the shim")
	end()
	end = m.play(0, "open", m.path(oldTree, ".extracted"))
	m.wantKept("open")
	end()
	end = m.play(0, "chdir", m.path(oldTree, "bin"))
	m.wantKept("working directory")
	end()
	end = m.play(0, "map", m.path(oldTree, "bin/containerd"))
	m.wantKept("mapped")
	end()
	target := t.TempDir()
	end = m.play(syscall.CLONE_NEWNS, "bind", m.path(oldTree, "bin"), target)
	m.wantKept("is mounted at " + target)
	end()
	end = m.play(syscall.CLONE_NEWNS, "bind", target, m.path(oldTree, "bin"))
	m.wantKept("mounted on or below")
	end()
	m.wantRemoved()
}

// TestKernelInode: the path that the kernel shows names nothing that is known,
// because the directory was reached by another mount.
func TestKernelInode(t *testing.T) {
	if !onNode(t) {
		return
	}
	m := newMachine(t, newTree, oldTree)
	elsewhere := t.TempDir()
	if err := unix.Mount(m.path(oldTree, "bin"), elsewhere, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	end := m.run(exec.Command(elsewhere + "/containerd-shim-runc-v2"))
	if err := unix.Unmount(elsewhere, unix.MNT_DETACH); err != nil {
		t.Fatal(err)
	}
	m.wantKept("still runs")
	end()
	m.wantRemoved()
}

// TestKernelRecheck: a shim is started after the second look, while the
// directory is set aside. The remover takes it back.
func TestKernelRecheck(t *testing.T) {
	if !onNode(t) {
		return
	}
	m := newMachine(t, newTree, oldTree)
	real := m.o.Remover
	m.o.Remover = startsBefore{real.(*safefs.TreeRemover), func() { m.start(".hostgc-"+oldTree, "containerd-shim-runc-v2") }}
	_, err := m.clean()
	if err == nil || !strings.Contains(err.Error(), "still runs with the shim") || !m.exists(oldTree) {
		t.Errorf("there: %v, %v", m.exists(oldTree), err)
	}
	m.o.Remover = real
	m.wantKept("still runs with the shim")
}

// startsBefore does something between setting aside and looking again.
type startsBefore struct {
	*safefs.TreeRemover
	do func()
}

func (s startsBefore) Remove(ctx context.Context, name string, judged hostgc.Identity, recheck safefs.Recheck) (safefs.RemovedTree, error) {
	return s.TreeRemover.Remove(ctx, name, judged, func(ctx context.Context, renamed string) error {
		s.do()
		return recheck(ctx, renamed)
	})
}

// TestKernelLock: the remover holds K3s' lock while it asks once more, and that
// is not K3s unpacking.
func TestKernelLock(t *testing.T) {
	if !onNode(t) {
		return
	}
	m := &machine{t: t, top: t.TempDir()}
	current, old := strings.Repeat("a", 64), strings.Repeat("b", 64)
	dir := filepath.Join(m.top, "var/lib/rancher/k3s/data")
	for _, name := range []string{old, current} {
		m.copyTo(filepath.Join(dir, name, "bin/containerd"))
	}
	if err := os.Symlink("/var/lib/rancher/k3s/data/"+current, dir+"/current"); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(dir + "/.lock")
	if err != nil {
		t.Fatal(err)
	}
	root, err := safefs.OpenRoot(m.top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.OpenDir("/var/lib/rancher/k3s/data")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	remover, err := d.TreeRemover(k3sdata.Product().Trees())
	if err != nil {
		t.Fatal(err)
	}
	m.run(exec.Command(filepath.Join(dir, current, "bin/containerd")))
	o := datadir.Options{
		Mode: hostgc.ModeEnforce, Retain: datadir.RetainNone, Root: root.FS(), Proc: os.DirFS("/proc"), Remover: remover,
		Now: func() time.Time { return time.Now().Add(48 * time.Hour) }, Settle: time.Nanosecond,
	}
	clean := func() (datadir.Report, error) { return k3sdata.Clean(t.Context(), k3sdata.DefaultDir, o, nil) }

	end := m.play(0, "lock", lock.Name())
	report, err := clean()
	if e := entry(t, report, old); err != nil || !strings.Contains(strings.Join(e.Reasons, "\n"), "is locked") {
		t.Errorf("while it is locked: %+v, %v", e, err)
	}
	end()
	report, err = clean()
	if e := entry(t, report, old); err != nil || !e.Removed {
		t.Errorf("%+v, %v", e, err)
	}
}
