package datadir

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strings"
)

// agentDir is where Rancher's system-agent keeps its state, by default and on
// systems where /var/lib is not for it.
var agentDirs = []string{"/var/lib/rancher/agent", "/var/lib/rancher-agent", "/opt/rancher-system-agent"}

// planRuns: Rancher's system-agent is carrying out a plan, which is how a
// version is installed. It has a file interlock/applyinator-active while it
// does, and whatever it runs has CATTLE_AGENT_EXECUTION_PWD in its environment.
//
// The file stays behind when the agent is killed. Newer agents write into it
// who made it ("pid=…"); otherwise it counts as long as an agent runs at all.
func (s *search) planRuns() (string, error) {
	if len(s.plans) > 0 {
		p := s.plans[0]
		return fmt.Sprintf("a plan of the system-agent is being carried out (process %s, %s)", p.pid, printable(p.exe)), nil
	}
	for _, dir := range agentDirs {
		file := path.Join(dir, "interlock/applyinator-active")
		text, ok, err := s.read(file)
		if err != nil {
			return "", err
		}
		if ok && s.agentLives(text) {
			return fmt.Sprintf("a plan of the system-agent is being carried out: %s exists (if none is, remove that file)", file), nil
		}
	}
	return "", nil
}

func (s *search) agentLives(interlock string) bool {
	pid, ok := interlockOwner(interlock)
	if !ok {
		return len(s.agents) > 0
	}
	return slices.ContainsFunc(s.agents, func(p process) bool { return p.pid == pid })
}

// interlockOwner gives the process that an interlock file names.
func interlockOwner(text string) (string, bool) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if pid, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "pid="); ok && pid != "" && strings.Trim(pid, "0123456789") == "" {
			return pid, true
		}
	}
	return "", false
}

// executionMark is in the environment of what the system-agent runs.
const executionMark = "CATTLE_AGENT_EXECUTION_PWD="
