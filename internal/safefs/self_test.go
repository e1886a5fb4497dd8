package safefs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The test binary runs itself as another process.
const (
	envLock   = "SAFEFS_TEST_LOCK"   // it locks this directory until its stdin ends
	envBind   = "SAFEFS_TEST_BIND"   // "source:target": it mounts that, in a mount namespace of its own
	envMounts = "SAFEFS_TEST_MOUNTS" // it is this test, in a mount namespace of its own
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envLock); dir != "" {
		holdLock(dir)
	} else if bind := os.Getenv(envBind); bind != "" {
		source, target, _ := strings.Cut(bind, ":")
		holdMount(source, target)
	} else {
		os.Exit(m.Run())
	}
}

func holdLock(dir string) {
	root, err := OpenRoot("/")
	if err == nil {
		var d *Dir
		if d, err = root.OpenDir(dir); err == nil {
			_, err = d.Lock(context.Background())
		}
	}
	say("locked", err)
}

func holdMount(source, target string) {
	say("mounted", unix.Mount(source, target, "", unix.MS_BIND, ""))
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if strings.Contains(string(mounts), " "+target+" ") {
		say("there", err)
	} else {
		say("detached", err)
	}
}

// say tells how it went and waits for the end of stdin.
func say(word string, err error) {
	if err != nil {
		word = err.Error()
	}
	fmt.Println(word)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

type self struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// startSelf starts the process and waits until it says the word.
func startSelf(t *testing.T, env, word string) *self {
	t.Helper()
	cmd := exec.Command(os.Args[0], "sweep", "--kinds", "all") // a command line to be seen in /proc
	cmd.Env = append(os.Environ(), env)
	if strings.HasPrefix(env, envBind) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	}
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	s := &self{cmd, stdin, bufio.NewReader(stdout)}
	if line, err := s.out.ReadString('\n'); line != word+"\n" {
		t.Fatalf("the other process says %q, %v; not %q", line, err, word)
	}
	return s
}

// end ends the process and gives its last word.
func (s *self) end(t *testing.T) string {
	t.Helper()
	must(t, s.in.Close())
	line, err := s.out.ReadString('\n')
	must(t, err)
	return strings.TrimSpace(line)
}
