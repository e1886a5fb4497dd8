package bed

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Traces gives all that the node is on the machine: the directories of its run
// and of its cgroups, and that of its PID 1 in /proc.
func (n *Node) Traces() []string {
	n.t.Helper()
	roots, err := hierarchies()
	n.must(err, "find the node's cgroups")
	traces := []string{n.layout.Run, fmt.Sprintf("/proc/%d", n.init.cmd.Process.Pid)}
	for _, root := range roots {
		traces = append(traces, filepath.Join(root, n.cgroup))
	}
	return traces
}

// WaitGone waits until none of the paths exists.
func WaitGone(paths []string) error {
	return eventually(30*time.Second, func() error {
		for _, p := range paths {
			if _, err := os.Lstat(p); err == nil {
				return fmt.Errorf("%s is still there", p)
			}
		}
		return nil
	})
}
