package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// The tests in this file ask the real kernel. They run in a node of their own:
// this test binary again as PID 1 of new namespaces, with a /proc that shows
// these alone. There it starts once more in the role that a test needs.
const roleVariable = "HOSTGC_TEST_ROLE"

var roles = map[string]func(args []string) error{
	"wait":       func([]string) error { return nil },
	"leaderless": leaderless,
	"mount":      mountPrivately,
	"look":       look,
	"blind":      blind,
}

func init() {
	if os.Getenv(roleVariable) == "leaderless" {
		runtime.LockOSThread() // keeps main on the process's first thread
	}
}

func TestMain(m *testing.M) {
	name := os.Getenv(roleVariable)
	if name == "node" {
		if err := beNode(); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
	}
	role, ok := roles[name]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Args[1:]); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	ready()
}

// beNode gives PID 1 of the new namespaces a /proc. Where the tests run in a
// pod, it takes away what says so.
func beNode() error {
	if err := mountPrivately(nil); err != nil {
		return err
	}
	for _, f := range []string{"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"} {
		_ = unix.Unmount(f, unix.MNT_DETACH)
	}
	return unix.Mount("proc", "/proc", "proc", 0, "")
}

// onNode runs a test on a node of its own. It reports true there.
func onNode(t *testing.T) bool {
	t.Helper()
	if os.Getenv(roleVariable) == "node" {
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED against the kernel: needs root to make namespaces")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), roleVariable+"=node")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("on a node of its own: %v\n%s", err, out)
	}
	return false
}

// ready tells the test that all is in place, and stays until it is done.
func ready() {
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// start runs a role in new namespaces until the test ends.
func start(t *testing.T, role string, namespaces uintptr, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if line, _ := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("role %s: %s", role, line)
	}
	return cmd
}

// mountPrivately binds each even argument over the next one, where no other
// mount namespace sees it.
func mountPrivately(args []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	for i := 0; i+1 < len(args); i += 2 {
		if err := unix.Mount(args[i], args[i+1], "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("binding %s to %q: %w", args[i], args[i+1], err)
		}
	}
	return nil
}

// leaderless ends the first thread of the process and leaves another.
func leaderless([]string) error {
	go func() {
		self := fmt.Sprintf("/proc/%d/ns/net", os.Getpid())
		for {
			if _, err := os.Readlink(self); err != nil {
				ready()
			}
			runtime.Gosched()
		}
	}()
	_, _, errno := unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	return errno
}

// look asks the witness of a /proc and prints why it is mute.
func look(args []string) error {
	_, err := Witness(os.DirFS(args[0])).Ask(context.Background())
	return err
}

// blind takes CAP_SYS_PTRACE from the process, then looks. A second argument
// has /proc mounted at the first with these options.
func blind(args []string) error {
	if len(args) > 1 {
		if err := mountPrivately(nil); err != nil {
			return err
		}
		if err := unix.Mount("proc", args[0], "proc", 0, args[1]); err != nil {
			return fmt.Errorf("mounting /proc with %s: %w", args[1], err)
		}
	}
	runtime.LockOSThread() // the bounding set is the thread's
	if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_SYS_PTRACE, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping CAP_SYS_PTRACE: %w", err)
	}
	if err := os.Setenv(roleVariable, "look"); err != nil {
		return err
	}
	return syscall.Exec(os.Args[0], []string{os.Args[0], args[0]}, os.Environ())
}

func privateFile(t *testing.T, name string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMountOnlyAnotherNamespaceSees(t *testing.T) {
	if !onNode(t) {
		return
	}
	object := privateFile(t, "a b\\c\td\n#é")
	proc := os.DirFS("/proc")
	places, err := Places(proc, filepath.Dir(object))
	if err != nil {
		t.Fatal(err)
	}
	ref := hostgc.Ref{Space: hostgc.SpaceMount, Key: places[0] + "/" + filepath.Base(object)}.String()
	if got, err := says(t, proc, places...); err != "" || len(got[ref]) > 0 {
		t.Fatalf("claimed before it is mounted: %v %s", got[ref], err)
	}
	h := start(t, "mount", syscall.CLONE_NEWNS, "/dev/null", object)
	got, mute := says(t, proc, places...)
	want := fmt.Sprintf("mounted on it in the mount namespace of process %d (", h.Process.Pid)
	if mute != "" || !strings.Contains(got[ref], want) {
		t.Errorf("claim %q is %q %s, want %q", ref, got[ref], mute, want)
	}
}

func TestNetworkNamespaceOfAProcess(t *testing.T) {
	if !onNode(t) {
		return
	}
	mounted := privateFile(t, "cni-1")
	h := start(t, "mount", syscall.CLONE_NEWNS|syscall.CLONE_NEWNET, "/proc/self/ns/net", mounted)
	got, mute := says(t, os.DirFS("/proc"), "0:0:/none")
	want := fmt.Sprintf("process %d (", h.Process.Pid)
	if ref := "netns/" + mounted; mute != "" || !strings.HasPrefix(got[ref], want) {
		t.Errorf("claim %q is %q %s, want %q", ref, got[ref], mute, want)
	}
}

func TestProcessWithoutItsFirstThread(t *testing.T) {
	if !onNode(t) {
		return
	}
	h := start(t, "leaderless", syscall.CLONE_NEWNET)
	s := newScan(os.DirFS("/proc"), nil)
	if err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := fmt.Sprint(h.Process.Pid)
	for _, dir := range s.netns {
		if strings.HasPrefix(dir, pid+"/task/") {
			return
		}
	}
	t.Errorf("no network namespace of process %s in %v", pid, s.netns)
}

func TestZombie(t *testing.T) {
	if !onNode(t) {
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	pid := fmt.Sprint(cmd.Process.Pid)
	if _, err := os.ReadFile("/proc/" + pid + "/mountinfo"); err == nil {
		t.Fatal("this is no zombie")
	}
	s := newScan(os.DirFS("/proc"), []string{"0:0:/none"})
	s.process(pid)
	if s.err != nil || len(s.netns) != 0 {
		t.Errorf("network namespaces %v, error %v", s.netns, s.err)
	}
	if err := s.view(pid); err != nil {
		t.Errorf("mounts: %v", err)
	}
}

func TestWithoutPtrace(t *testing.T) {
	if !onNode(t) {
		return
	}
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"not allowed to look", []string{"/proc"}, "CAP_SYS_PTRACE"},
		{"hidepid", []string{dir, "hidepid=2,gid=54321"}, "hidepid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], tt.args...)
			cmd.Env = append(os.Environ(), roleVariable+"=blind")
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("not mute with %q: %s", tt.want, out)
			}
		})
	}
}

func TestHealthyNode(t *testing.T) {
	if !onNode(t) {
		return
	}
	if !Present(os.DirFS("/proc")) {
		t.Error("no process present")
	}
	if _, mute := says(t, os.DirFS("/proc"), "0:0:/none"); mute != "" {
		t.Errorf("mute: %s", mute)
	}
}
