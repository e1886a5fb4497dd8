package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// cost is what one run of a program took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes resident at most
	asked     map[string]int
	out       string
}

// measure runs a program and takes its time from start to end. What it logs
// goes to a file, as on a node.
//
// The peak is ru_maxrss. The kernel carries that of the parent over at exec, so
// this program keeps itself far below those that it measures.
func measure(log string, argv ...string) (cost, error) {
	f, err := os.Create(log)
	if err != nil {
		return cost{}, err
	}
	defer f.Close() //nolint:errcheck // a log
	var out strings.Builder
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, f, environment()
	begin := time.Now()
	err = cmd.Run()
	c := cost{wall: time.Since(begin), out: out.String()}
	if err != nil {
		said, _ := os.ReadFile(log)
		return c, fmt.Errorf("%s: %w\n%s%s", strings.Join(argv, " "), err, c.out, said[:min(len(said), 2000)])
	}
	c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = usage.Maxrss << 10
	}
	return c, nil
}

// environment is ours without what would bound the memory or tune the
// collector of Go: the targets hold without it.
func environment() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GOMEMLIMIT=") && !strings.HasPrefix(e, "GOGC=") && !strings.HasPrefix(e, "GODEBUG=") {
			env = append(env, e)
		}
	}
	return env
}

// around runs something while the servers of a node are up, and gives what
// they were asked.
func around(n node, do func(kubeconfig string) error) (map[string]int, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-serve", n.root(), "-pods", n.pods())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	address, err := lines.ReadString('\n')
	if err == nil {
		err = n.kubeconfig(strings.TrimSpace(address))
	}
	if err == nil {
		err = do(filepath.Join(n.dir, "kubeconfig"))
	}
	_ = in.Close() // it ends then
	asked := map[string]int{}
	if said, readErr := io.ReadAll(lines); err == nil && readErr == nil {
		err = json.Unmarshal(said, &asked)
	}
	if waitErr := cmd.Wait(); err == nil {
		err = waitErr
	}
	return asked, err
}

func (n node) kubeconfig(address string) error {
	return os.WriteFile(filepath.Join(n.dir, "kubeconfig"), fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: bench
contexts: [{name: bench, context: {cluster: bench, user: bench}}]
clusters: [{name: bench, cluster: {server: "http://%s"}}]
users: [{name: bench, user: {}}]
`, address), 0o600)
}
