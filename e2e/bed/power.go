package bed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Boot starts the node's PID 1. What is on its disk is as the last power cut
// left it; /run and the network are empty.
func (n *Node) Boot() {
	n.t.Helper()
	n.must(n.boot(), "boot the node")
}

func (n *Node) boot() error {
	arg, err := json.Marshal(n.layout)
	if err != nil {
		return err
	}
	cmd, err := helper(roleInit, string(arg))
	if err != nil {
		return err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL, // when the network's thread ends
	}
	says, err := n.startWithPipe(cmd)
	if err != nil {
		return err
	}
	if says != ready {
		return errors.New(n.init.tail())
	}
	n.inside, err = newThread(func() error { return enter(cmd.Process.Pid) })
	return err
}

// startWithPipe starts PID 1 and waits for what it says on descriptor 3.
func (n *Node) startWithPipe(cmd *exec.Cmd) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	n.init, err = n.network.start("init", n.layout.Run+"/log", cmd)
	_ = w.Close()
	if err != nil {
		return "", err
	}
	says, err := io.ReadAll(r)
	return string(says), err
}

// enter puts the calling thread into a process' namespaces. The PID namespace
// takes effect for the processes that the thread starts.
func enter(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return fmt.Errorf("open PID 1 of the node: %w", err)
	}
	defer unix.Close(fd)
	// A thread that shares its root directory with others cannot change its
	// mount namespace.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("part with the other threads' root directory: %w", err)
	}
	const all = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWNET
	if err := unix.Setns(fd, all); err != nil {
		return fmt.Errorf("enter the node's namespaces: %w", err)
	}
	return nil
}

// PowerCut ends every process of the node at once, its mounts and its /run.
// The disk, and a cluster's control plane, stay.
func (n *Node) PowerCut() {
	n.t.Helper()
	n.powerOff()
	n.must(removeCgroups(n.cgroup, false), "remove the cgroups that a boot would not have")
	n.must(n.network.do(resetNetwork), "reset the network")
}

func (n *Node) powerOff() {
	n.disconnect()
	if n.init.running() {
		n.init.kill() // returns when the whole PID namespace is dead
	}
	if n.inside != nil {
		n.inside.stop() // else the thread would keep the node's mounts
		n.inside = nil
	}
	for _, d := range []*daemon{n.containerd, n.kubelet, n.multus} {
		if d != nil {
			<-d.exited
		}
	}
	n.containerd, n.kubelet, n.multus = nil, nil, nil
}

// KillAll ends every process of the node but its PID 1. Unlike after a power
// cut, mounts, /run and the network stay as they are.
func (n *Node) KillAll() {
	n.t.Helper()
	n.disconnect()
	_, _ = n.Exec("sh", "-c", "kill -KILL -1") // all but PID 1 and itself
	for _, d := range []*daemon{n.containerd, n.kubelet, n.multus} {
		if d != nil {
			<-d.exited
		}
	}
	n.containerd, n.kubelet, n.multus = nil, nil, nil
}

// WipeRuntime empties the runtime's root directory, as people do to cure a
// broken node, and as a re-installation does.
func (n *Node) WipeRuntime() {
	n.t.Helper()
	n.must(emptyDir(n.layout.disk("/var/lib/containerd")), "wipe the runtime's root")
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(dir+"/"+e.Name()))
	}
	return err
}

// Exec runs a command inside the node and gives its output.
func (n *Node) Exec(argv ...string) (string, error) {
	if n.inside == nil {
		return "", errEnded
	}
	var out, errs strings.Builder
	var cmd *exec.Cmd
	err := n.inside.do(func() error {
		cmd = exec.Command(argv[0], argv[1:]...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Env = nodeEnv(argv[0])
		return cmd.Start()
	})
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}
