// Bench runs hostgc and the floor beside each other on the same file system,
// on nodes with up to a million files, and says of each target of hostgc's
// whether it holds. See docs/performance.md.
//
// The nodes are made below -dir, in a directory of its own; their runtime and
// API server are processes on loopback and a unix socket that count what they
// are asked.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type options struct {
	lab
	sizes  []int
	caches []cache
	only   []string
	runs   int
	limit  float64
	fsync  bool
	rate   int
	fleet  string
	nodes  string
	agents int
}

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func start() error {
	var o options
	var sizes, caches, only, root, pods string
	flag.StringVar(&o.hostgc, "hostgc", "bin/hostgc", "the program `FILE` to measure")
	flag.StringVar(&o.floor, "floor", "bin/floor", "the floor's program `FILE`")
	flag.StringVar(&o.dir, "dir", "", "where to make the nodes: `DIR` on the file system to measure")
	flag.StringVar(&sizes, "n", "10000", "numbers of files, `N,...`")
	flag.StringVar(&caches, "cache", "warm,cold", "states of the kernel's caches")
	flag.StringVar(&only, "only", "", "only these scenarios, of scan, scan-live and sweep")
	flag.IntVar(&o.running, "running", 110, "running sandboxes on the node")
	flag.IntVar(&o.runs, "runs", 5, "runs of each program, of which the median counts")
	flag.Float64Var(&o.limit, "fail-above", 0, "fail where a ratio is above so many times its target")
	flag.BoolVar(&o.fsync, "fsync", false, "measure an fsync loop beside a sweep, and nothing else")
	flag.IntVar(&o.rate, "rate", 1000, "with -fsync: hostgc's --max-rate")
	flag.StringVar(&o.fleet, "fleet", "", "ask the API server of this kubeconfig `FILE` as many agents do, and nothing else")
	flag.StringVar(&o.nodes, "nodes", "node-%d", "with -fleet: the names of its nodes, by number from 0")
	flag.IntVar(&o.agents, "agents", 1000, "with -fleet: how many agents ask")
	flag.StringVar(&root, "serve", "", "be the servers of the node whose root is `DIR`; for bench itself")
	flag.StringVar(&pods, "pods", "", "with -serve: the `FILE` of pods that run")
	flag.Parse()
	if root != "" {
		return serve(root, pods, os.Stdin, os.Stdout)
	}
	if o.fleet != "" {
		return fleet(os.Stdout, o.fleet, o.nodes, o.agents)
	}
	return o.complete(sizes, caches, only)
}

// complete understands the lists and runs.
func (o options) complete(sizes, caches, only string) error {
	for s := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("-n %q: not a number of files", s)
		}
		o.sizes = append(o.sizes, n)
	}
	for c := range strings.SplitSeq(caches, ",") {
		if c != string(warm) && c != string(cold) {
			return fmt.Errorf("-cache %q: use warm or cold", c)
		}
		o.caches = append(o.caches, cache(c))
	}
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	if o.dir == "" {
		return fmt.Errorf("-dir is missing: where to make the nodes")
	}
	dir, err := os.MkdirTemp(o.dir, "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is ours and harmless
	if o.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	o.say = func(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }
	return o.all()
}

func (o options) all() error {
	var results []result
	if o.fsync {
		return o.stalls(os.Stdout, slices.Max(o.sizes), o.rate)
	}
	base, err := o.base()
	if err != nil {
		return err
	}
	header(os.Stdout, base)
	for _, n := range o.sizes {
		for _, s := range scenarios {
			if o.only != nil && !slices.Contains(o.only, s.name) {
				continue
			}
			for _, c := range o.caches {
				r, err := o.run(s, n, c, o.runs)
				if err != nil {
					return err
				}
				row(os.Stdout, base, r)
				results = append(results, r)
			}
		}
	}
	targets(os.Stdout, results)
	return judge(results, o.limit)
}

// base is a scan of a node on which nothing leaked: what hostgc takes to start
// and to hear the witnesses once.
func (o options) base() (result, error) {
	s := scenarios[0]
	s.name = "start"
	return o.run(s, filesEach*o.running, warm, o.runs)
}
