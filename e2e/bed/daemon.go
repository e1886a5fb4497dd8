package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// daemon is a program of the bed that runs until it is stopped.
type daemon struct {
	name   string
	log    string // the file that has its output
	cmd    *exec.Cmd
	exited chan struct{}
}

// start runs a command from a thread, and so in the thread's namespaces. Its
// output goes to a log file that lies outside the node.
func (t *thread) start(name, logDir string, cmd *exec.Cmd) (*daemon, error) {
	path := filepath.Join(logDir, name+".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", name, err)
	}
	defer log.Close()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true // a Ctrl-C at the terminal ends the test, and the test ends its programs
	cmd.Env = nodeEnv(cmd.Path)
	cmd.Stdout, cmd.Stderr = log, log
	d := &daemon{name: name, log: path, cmd: cmd, exited: make(chan struct{})}
	if err := t.do(cmd.Start); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = cmd.Wait() // how a killed program ended is of no interest
		close(d.exited)
	}()
	return d, nil
}

// nodeEnv is the environment of the bed's programs. A program's own directory
// comes first: containerd takes its shim and runc from PATH.
func nodeEnv(program string) []string {
	return []string{
		"PATH=" + filepath.Dir(program) + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/run",
	}
}

func (d *daemon) running() bool {
	if d == nil {
		return false
	}
	select {
	case <-d.exited:
		return false
	default:
		return true
	}
}

// kill sends SIGKILL and waits for the end.
func (d *daemon) kill() {
	if !d.running() {
		return
	}
	_ = d.cmd.Process.Kill()
	<-d.exited
}

// stop asks with SIGTERM first.
func (d *daemon) stop() {
	if !d.running() {
		return
	}
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(20 * time.Second):
		d.kill()
	}
}

// tail gives the end of the log, for the message of a failure.
func (d *daemon) tail() string {
	b, err := os.ReadFile(d.log)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}
