package bed

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Report is what hostgc writes with -o json, as far as the tests look at it.
type Report struct {
	Summary []struct {
		Kind    string `json:"kind"`
		Garbage int    `json:"garbage"`
		Removed int    `json:"removed"`
	} `json:"summary"`
	Decisions []struct {
		Kind    string `json:"kind"`
		Path    string `json:"path"`
		Verdict string `json:"verdict"`
		Cause   string `json:"cause"`
		Because []struct {
			Rule string `json:"rule"`
			Text string `json:"text"`
		} `json:"because"`
	} `json:"decisions"`

	Exit   int    `json:"-"`
	Stderr string `json:"-"`
}

// minAge is what tests cut the minimum age down to.
const minAge = time.Second

// Sweep runs `hostgc sweep` in the node, with the minimum age cut down, and all
// else as on a real node. It waits until all that is on the node now is that
// old.
func (n *Node) Sweep() Report {
	n.t.Helper()
	n.grow()
	return n.Hostgc(append([]string{
		"sweep", "--root", "/", "--cri", "unix://" + ContainerdSocket, "--node", NodeName,
		"--min-age", minAge.String(), "--unsafe-short-age", "--settle", "1s",
	}, n.sweepArgs...)...)
}

// Hostgc runs hostgc in the node, with -o json.
func (n *Node) Hostgc(args ...string) Report {
	n.t.Helper()
	r, err := n.hostgc(args...)
	n.must(err, "run hostgc")
	return r
}

func (n *Node) hostgc(args ...string) (Report, error) {
	binary, err := os.ReadFile(os.Getenv("HOSTGC_BIN"))
	if err != nil {
		return Report{}, fmt.Errorf("find hostgc; HOSTGC_BIN must give its path: %w", err)
	}
	inside := shareDir + "/hostgc"
	if err := writeOnce(n.layout.share("hostgc"), binary); err != nil {
		return Report{}, err
	}
	out, err := n.Exec(append([]string{inside, "-o", "json"}, args...)...)
	var r Report
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.Exit, r.Stderr = exit.ExitCode(), err.Error()
	case err != nil:
		return Report{}, err
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return r, fmt.Errorf("read hostgc's report: %w; it said:\n%s%s", err, out, r.Stderr)
	}
	return r, nil
}

// grow waits until no CNI file of the node, and not its containerd, is younger
// than the minimum age.
func (n *Node) grow() {
	n.t.Helper()
	newest := n.containerdStarted
	for _, f := range n.Files() {
		var st unix.Stat_t
		if err := unix.Lstat(n.layout.disk(f.Path), &st); err == nil {
			if t := time.Unix(st.Ctim.Unix()); t.After(newest) {
				newest = t
			}
		}
	}
	time.Sleep(time.Until(newest.Add(minAge + 100*time.Millisecond)))
}

func writeOnce(path string, content []byte) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, content, 0o755)
}

// Why gives what hostgc decided on a path, in words for a failed test.
func (r Report) Why(path string) string {
	for _, d := range r.Decisions {
		if d.Path == path {
			return fmt.Sprintf("%s: %s %v", path, d.Verdict, d.Because)
		}
	}
	return path + ": not in hostgc's report"
}

// Garbage gives the paths that hostgc called garbage.
func (r Report) Garbage() []string {
	var paths []string
	for _, d := range r.Decisions {
		if d.Verdict == "garbage" {
			paths = append(paths, d.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Removed gives how many objects of a kind were removed.
func (r Report) Removed(kind string) int {
	for _, s := range r.Summary {
		if s.Kind == kind {
			return s.Removed
		}
	}
	return 0
}

// Causes gives the causes of a kind's garbage, each once.
func (r Report) Causes(kind string) string {
	var causes []string
	for _, d := range r.Decisions {
		if d.Kind == kind && d.Verdict == "garbage" && !slices.Contains(causes, d.Cause) {
			causes = append(causes, d.Cause)
		}
	}
	slices.Sort(causes)
	return strings.Join(causes, ",")
}
