package bed

import (
	"fmt"
	"os"
	"os/exec"
)

// The bed's own helper processes are the test binary itself, started under
// one of these names.
const (
	roleInit   = "hostgc-e2e-init"   // PID 1 of a node
	roleReaper = "hostgc-e2e-reaper" // removes what a test leaves on the machine
)

// Reexec must be the first call of TestMain: where this process was started
// as one of the bed's helpers, it does the helper's work and does not return.
func Reexec() {
	roles := map[string]func(arg string) error{roleInit: runInit, roleReaper: runReaper}
	run, ok := roles[os.Args[0]]
	if !ok {
		return
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(1)
	}
	os.Exit(0)
}

func helper(role, arg string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the test binary: %w", err)
	}
	return &exec.Cmd{Path: self, Args: []string{role, arg}}, nil
}
