package bed

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// runInit is PID 1 of a node, in new namespaces: it prepares what the node
// sees as its file systems, says so on descriptor 3, and then
// reaps orphans (a container's shim outlives the containerd that started it)
// until it is killed.
func runInit(arg string) error {
	var l layout
	if err := json.Unmarshal([]byte(arg), &l); err != nil {
		return fmt.Errorf("read the node's layout: %w", err)
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	if err := l.mount(); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(NodeName)); err != nil {
		return fmt.Errorf("set the host name: %w", err)
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return fmt.Errorf("let the node forward packets: %w", err)
	}
	if err := sayReady(); err != nil {
		return err
	}
	for range children {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 && err != syscall.EINTR {
				break
			}
		}
	}
	return nil
}

// ready is what PID 1 says when the node's file systems are there.
const ready = "ready"

func sayReady() error {
	pipe := os.NewFile(3, "ready")
	defer pipe.Close()
	_, err := pipe.WriteString(ready)
	return err
}
