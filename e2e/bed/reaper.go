package bed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// remains is what a node leaves on the machine beside processes, which the
// kernel ends when the test does.
type remains struct {
	Dir    string // the run's directory
	Cgroup string
}

// reaper is a process that removes the remains when the test is over, be it
// by its own end, by a panic or by kill -9.
type reaper struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

func startReaper(r remains) (*reaper, error) {
	arg, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd, err := helper(roleReaper, string(arg))
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // must survive a Ctrl-C
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the reaper: %w", err)
	}
	return &reaper{cmd, pipe}, nil
}

// reap has the remains removed and waits for it.
func (r *reaper) reap() error {
	_ = r.pipe.Close()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("remove what the node left on the machine: %w", err)
	}
	return nil
}

// runReaper waits for the end of its standard input: the kernel closes the
// other end with the test process, however that ends.
func runReaper(arg string) error {
	var r remains
	if err := json.Unmarshal([]byte(arg), &r); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return errors.Join(removeCgroups(r.Cgroup, true), os.RemoveAll(r.Dir))
}
