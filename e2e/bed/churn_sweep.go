package bed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// ChurnMinAge is the minimum age of sweeps in the churn. Two hours are there
// for what takes long elsewhere: pulls of the pause image, CRI-O's retries of a
// CNI DEL for 57 minutes. Here is neither. What is left is the creation of a
// sandbox, that containerd lists only when it runs: the ledger measures it, and
// a run in which it took half of this fails, for its age would not be honest.
// It also may not be longer than containerd lives between two kills, or hostgc,
// that waits as long for the runtime to settle, would never remove anything.
const ChurnMinAge = 20 * time.Second

// Sweeper runs one `hostgc sweep` after the other under a ledger's eyes.
type Sweeper struct {
	ledger *Ledger

	mu      sync.Mutex
	current *exec.Cmd // while it runs
	killed  bool      // the current one
	count   int
	exits   map[string]int
}

// NewSweeper gives a sweeper of the ledger's node.
func NewSweeper(l *Ledger) *Sweeper { return &Sweeper{ledger: l, exits: map[string]int{}} }

// Loop sweeps until stop is closed.
func (s *Sweeper) Loop(stop <-chan struct{}) error {
	binary, err := os.ReadFile(os.Getenv("HOSTGC_BIN"))
	if err != nil {
		return fmt.Errorf("find hostgc: %w", err)
	}
	if err := writeOnce(s.ledger.n.layout.share("hostgc"), binary); err != nil {
		return err
	}
	for {
		select {
		case <-stop:
			return nil
		default:
			if err := s.Sweep(); err != nil {
				return err
			}
		}
	}
}

// Kill ends the sweep that runs with SIGKILL.
func (s *Sweeper) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.killed = true
		_ = s.current.Process.Kill()
	}
}

// Sweep sweeps once and compares what hostgc says that it removed with what
// the kernel saw. An error is one of the bed's.
func (s *Sweeper) Sweep() error {
	n, l := s.ledger.n, s.ledger
	args := append([]string{"-o", "jsonl", "sweep", "--root", "/", "--cri", "unix://" + ContainerdSocket, "--node", NodeName,
		"--min-age", ChurnMinAge.String(), "--unsafe-short-age", "--settle", settle.String()}, n.sweepArgs...)
	var out, errs bytes.Buffer
	cmd := exec.Command(shareDir+"/hostgc", args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &errs, nodeEnv(shareDir)
	before := l.Removed()
	if err := n.inside.do(func() error { return s.start(cmd) }); err != nil {
		return fmt.Errorf("start hostgc: %w", err)
	}
	_ = cmd.Wait() // its exit code is looked at below
	killed := s.ended()
	if err := l.drain(fmt.Sprint(s.count)); err != nil {
		return err
	}
	gone := l.removedSince(before)
	code := cmd.ProcessState.ExitCode()
	switch {
	case killed:
		s.exits["killed"]++
	case code == 0 || code == 3: // 3: the runtime was down
		s.exits[fmt.Sprint("exit ", code)]++
		s.compare(gone, out.Bytes())
	default:
		s.exits[fmt.Sprint("exit ", code)]++
		l.wrong("hostgc ended with %s: %s", cmd.ProcessState, errs.String())
	}
	if len(gone) > 0 {
		l.askDatabase(gone)
	}
	return nil
}

func (s *Sweeper) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.killed = cmd, false
	s.count++
	s.ledger.mu.Lock()
	s.ledger.hostgc = cmd.Process.Pid
	s.ledger.mu.Unlock()
	return nil
}

func (s *Sweeper) ended() (killed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = nil
	return s.killed
}

func (s *Sweeper) compare(gone []removal, report []byte) {
	var said, did []string
	for line := range bytes.Lines(report) {
		var l struct {
			Decision struct {
				Path    string `json:"path"`
				Removed bool   `json:"removed"`
			} `json:"decision"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			s.ledger.wrong("hostgc's report: %v in %q", err, line)
		}
		if l.Decision.Removed {
			said = append(said, l.Decision.Path)
		}
	}
	for _, r := range gone {
		did = append(did, r.path)
	}
	slices.Sort(said)
	slices.Sort(did)
	if !slices.Equal(said, did) {
		s.ledger.wrong("hostgc reports that it removed %v, and the kernel saw %v", said, did)
	}
}

func (l *Ledger) removedSince(n int) []removal {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.removed[n:])
}

// askDatabase holds against hostgc what containerd has a container of, listed
// by its CRI or not. Without containerd there is nobody to ask.
func (l *Ledger) askDatabase(gone []removal) {
	ctr, err := l.n.tool("ctr")
	if err != nil {
		l.wrong("no ledger: %v", err)
		return
	}
	known, err := l.n.Exec(ctr, "--connect-timeout", "2s", "-n", "k8s.io", "containers", "ls", "-q")
	if err != nil {
		return
	}
	for _, r := range gone {
		if strings.Contains(known, r.sandbox) {
			l.wrong("hostgc removed %s, and containerd has a container of the sandbox in its database", r.path)
		}
	}
}

// String gives the numbers: how many sweeps, and how they ended.
func (s *Sweeper) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d sweeps: %v", s.count, s.exits)
}
