package bed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Ledger writes down, without hostgc's help, what hostgc removes on a node and
// what the runtime says of it: each removal by the kernel's own record, the
// CRI's list five times a second, and at each removal the cgroups and the CNI
// plugins at work. See [Ledger.Wrongs] for what it holds against hostgc.
type Ledger struct {
	n     *Node
	watch *watch
	stop  chan struct{}
	done  sync.WaitGroup

	mu      sync.Mutex
	hostgc  int                      // PID of the sweep that runs
	removed []removal                // by hostgc
	listed  map[string]time.Time     // by sandbox: the start of the last list that had it
	now     []*runtimeapi.PodSandbox // the last list
	born    map[string]time.Time     // sandboxes that have a file and were never listed
	slowest time.Duration            // from a sandbox's first file to its listing
	marked  chan string              // what drain waits for
	wrongs  []string
}

type removal struct {
	path, sandbox string
	at            time.Time
	pid           int
}

// settle is what the sweeps under the ledger's eyes have between two looks.
const settle = time.Second

// KeepLedger starts a ledger. It ends with the test.
func (n *Node) KeepLedger() *Ledger {
	n.t.Helper()
	l := &Ledger{n: n, stop: make(chan struct{}), listed: map[string]time.Time{}, born: map[string]time.Time{}, marked: make(chan string, 16)}
	var err error
	l.watch, err = newWatch()
	n.must(err, "keep a ledger")
	dirs := map[string]string{n.layout.Run + "/ledger": marks}
	for _, d := range cniDirs {
		if d.kind != "host-local-ips" { // hostgc's default does not remove them
			path := filepath.Dir(d.glob)
			dirs[n.layout.disk(path)] = path
		}
	}
	for dir, path := range dirs {
		n.must(os.MkdirAll(dir, 0o700), "make a directory to watch")
		n.must(l.watch.add(dir, path), "keep a ledger")
	}
	l.done.Go(func() {
		if err := l.watch.read(l.record); err != nil {
			l.wrong("no ledger: %v", err)
		}
	})
	l.done.Go(l.poll)
	n.t.Cleanup(func() { close(l.stop); l.watch.close(); l.done.Wait() })
	return l
}

func (l *Ledger) wrong(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrongs = append(l.wrongs, fmt.Sprintf(format, args...))
}

func (l *Ledger) record(c change) {
	name := filepath.Base(c.Path)
	if filepath.Dir(c.Path) == marks {
		if c.Came {
			l.marked <- name
		}
		return
	}
	id, at := owner("", c.Path), time.Now()
	l.mu.Lock()
	if _, known := l.listed[id]; c.Came && id != "" && !known {
		if _, older := l.born[id]; !older {
			l.born[id] = at
		}
	}
	byHostgc := c.Gone && c.PID == l.hostgc
	if byHostgc {
		l.removed = append(l.removed, removal{c.Path, id, at, c.PID})
	}
	l.mu.Unlock()
	if !byHostgc {
		return
	}
	if why := l.n.alive(id); why != "" {
		l.wrong("hostgc removed %s: %s", c.Path, why)
	}
}

// poll takes the runtime's list again and again, by a connection of its own:
// one that saw the runtime die waits ever longer before it tries again.
func (l *Ledger) poll() {
	for {
		select {
		case <-l.stop:
			return
		case <-time.After(200 * time.Millisecond):
		}
		start := time.Now()
		items, err := l.n.listSandboxes()
		if err == nil {
			l.list(start, items)
		}
	}
}

func (n *Node) listSandboxes() ([]*runtimeapi.PodSandbox, error) {
	cri, err := dialCRI(n)
	if err != nil {
		return nil, err
	}
	defer cri.close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list, err := cri.Runtime.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
	return list.GetItems(), err
}

func (l *Ledger) list(start time.Time, items []*runtimeapi.PodSandbox) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = items
	for _, s := range items {
		l.listed[s.Id] = start
		if born, ok := l.born[s.Id]; ok {
			l.slowest = max(l.slowest, start.Sub(born))
			delete(l.born, s.Id)
		}
	}
}

// marks is the ledger's own directory: a file that comes there tells that all
// that happened before it has been read.
const marks = "(marks)"

// drain waits until the ledger has read all that the kernel recorded.
func (l *Ledger) drain(mark string) error {
	path := filepath.Join(l.n.layout.Run, "ledger", mark)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	defer os.Remove(path) //nolint:errcheck // it is empty, and goes with the node
	for limit := time.After(30 * time.Second); ; {
		select {
		case name := <-l.marked:
			if name == mark {
				return nil
			}
		case <-limit:
			return fmt.Errorf("the kernel's record does not come to its end")
		}
	}
}

// Wrongs gives all that hostgc did and should not have done: it removed a file
// of a sandbox that had a process in its cgroup, or a CNI plugin at work for
// it, or that the runtime listed within the settle time before or at any time
// after. By then a sweep had looked once already and, so it says, found the
// sandbox on no list: one that is listed later was being created.
func (l *Ledger) Wrongs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	wrongs := append([]string{}, l.wrongs...)
	for _, r := range l.removed {
		if at, ok := l.listed[r.sandbox]; ok && at.After(r.at.Add(-settle)) {
			wrongs = append(wrongs, fmt.Sprintf("hostgc removed %s at %s, and the runtime listed the sandbox at %s",
				r.path, r.at.Format(time.StampMilli), at.Format(time.StampMilli)))
		}
	}
	return wrongs
}

// Log tells how much the ledger saw.
func (l *Ledger) Log(t testing.TB) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sandboxes := map[string]bool{}
	for _, r := range l.removed {
		sandboxes[r.sandbox] = true
	}
	t.Logf("ledger: %d sandboxes were listed; hostgc removed %d files of %d sandboxes; from a sandbox's first file to its listing it took %s at most",
		len(l.listed), len(l.removed), len(sandboxes), l.slowest.Round(time.Millisecond))
}

// Removed gives how many files hostgc removed.
func (l *Ledger) Removed() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.removed)
}

// alive tells of a process that shows that a sandbox lives or is being made or
// unmade: one in its cgroup, or a CNI plugin that was called for it.
func (n *Node) alive(sandbox string) string {
	if sandbox == "" {
		return "it belongs to no sandbox"
	}
	roots, err := hierarchies()
	if err != nil {
		return err.Error()
	}
	for _, root := range roots {
		procs, _ := filepath.Glob(filepath.Join(root, n.cgroup, "kubepods", "*", "pod*", sandbox, "cgroup.procs"))
		for _, p := range procs {
			if b, err := os.ReadFile(p); err == nil && len(b) > 0 {
				return "processes are in " + p
			}
		}
	}
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range environs {
		if b, err := os.ReadFile(e); err == nil && strings.Contains(string(b), "CNI_CONTAINERID="+sandbox) {
			return "a CNI plugin is at work for its sandbox: " + e
		}
	}
	return ""
}

// Slowest gives the longest time from a sandbox's first file to its listing.
func (l *Ledger) Slowest() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slowest
}
