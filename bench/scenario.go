package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// scenario is one thing that hostgc does, and the floor beside it.
type scenario struct {
	name   string
	hostgc []string
	floor  string  // its mode
	target float64 // hostgc's time in times of the floor's
	node   func(dir string, n, running int) (node, error)
	fresh  bool // each run needs a node of its own
}

var scenarios = []scenario{
	{name: "scan", hostgc: []string{"scan"}, floor: "read", target: 1.5, node: makeStale},
	{name: "scan-live", hostgc: []string{"scan"}, floor: "list", target: 2, node: makeLive},
	{name: "sweep", hostgc: []string{"sweep", "--settle", "0s"}, floor: "sweep", target: 1.3, node: makeStale, fresh: true},
}

// lab is where scenarios run.
type lab struct {
	hostgc, floor string   // the programs
	before        []string // what hostgc's command line begins with
	dir           string
	running       int // sandboxes
	say           func(format string, a ...any)
}

// result is a scenario's medians at one size and state of the caches.
type result struct {
	scenario scenario
	n        int
	cache    cache
	hostgc   cost
	floor    cost
	order    string // of the two floors, the faster one's
}

func (r result) ratio() float64 { return float64(r.hostgc.wall) / float64(r.floor.wall) }

// run measures a scenario: hostgc and the floor in both of its orders, in
// turns, so that what else the machine does meets all of them.
func (l lab) run(s scenario, n int, c cache, runs int) (result, error) {
	var programs [3][]cost
	var nd node
	var err error
	for run := range runs {
		for i := range programs {
			if s.fresh || run+i == 0 {
				if nd, err = l.make(s, n); err != nil {
					return result{}, err
				}
			}
			if err := c.settle(); err != nil {
				return result{}, err
			}
			one, err := l.one(s, nd, i)
			if err != nil {
				return result{}, err
			}
			l.say("%s N=%d %s run %d %s: %s", s.name, n, c, run+1, programNames[i], one.wall.Round(time.Millisecond))
			programs[i] = append(programs[i], one)
		}
	}
	r := result{scenario: s, n: n, cache: c, hostgc: median(programs[0]), floor: median(programs[1]), order: "names"}
	if f := median(programs[2]); f.wall < r.floor.wall {
		r.floor, r.order = f, "inodes"
	}
	return r, l.clear()
}

var programNames = [3]string{"hostgc", "floor", "floor by inodes"}

func (l lab) node() string { return filepath.Join(l.dir, "node") }

func (l lab) clear() error { return os.RemoveAll(l.node()) }

func (l lab) make(s scenario, n int) (node, error) {
	if err := l.clear(); err != nil {
		return node{}, err
	}
	nd, err := s.node(l.node(), n, l.running)
	if err != nil {
		return nd, fmt.Errorf("making a node with %d files: %w", n, err)
	}
	return nd, nil
}

// one runs one of the three programs, and fails if it did not do its work.
func (l lab) one(s scenario, nd node, program int) (cost, error) {
	if program == 0 {
		return l.runHostgc(s, nd)
	}
	argv := []string{l.floor, "-live", nd.ids(), fmt.Sprintf("-inodes=%t", program == 2), s.floor}
	c, err := measure(filepath.Join(nd.dir, "log"), append(argv, nd.dirs()...)...)
	if err != nil {
		return c, err
	}
	want := fmt.Sprintf("listed %d, read %d ", nd.stale+nd.live, nd.stale)
	if s.floor == "list" {
		want = fmt.Sprintf("listed %d, read 0 ", nd.live)
	}
	if !strings.HasPrefix(c.out, want) {
		return c, fmt.Errorf("the floor says %q in place of %q", c.out, want)
	}
	return c, nil
}

func (l lab) runHostgc(s scenario, nd node) (cost, error) {
	var c cost
	asked, err := around(nd, func(kubeconfig string) error {
		argv := slices.Concat(l.before, []string{l.hostgc}, s.hostgc)
		argv = append(argv, "--root", nd.root(), "--kubeconfig", kubeconfig, "--node", "bench",
			// The files are seconds old.
			"--unsafe-short-age", "--min-age", "1ms")
		var err error
		c, err = measure(filepath.Join(nd.dir, "log"), argv...)
		return err
	})
	if err != nil {
		return c, err
	}
	c.asked = asked
	// The last row of the table: live, young, unknown, garbage.
	if got, want := total(c.out), fmt.Sprintf("%d 0 0 %d", nd.live, nd.stale); got != want {
		return c, fmt.Errorf("hostgc %s counts %q in place of %q:\n%s", s.name, got, want, c.out)
	}
	return c, nil
}

func total(table string) string {
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 4 && f[0] == "total" {
			return strings.Join(f[1:5], " ")
		}
	}
	return ""
}

// median is the run in the middle by time, with the highest peak of all.
func median(costs []cost) cost {
	sorted := slices.SortedFunc(slices.Values(costs), func(a, b cost) int { return int(a.wall - b.wall) })
	m := sorted[len(sorted)/2]
	for _, c := range costs {
		m.peak = max(m.peak, c.peak)
	}
	return m
}
