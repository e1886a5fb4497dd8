package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/config"
)

// flags are the flags that all commands share.
type flags struct {
	config, root, proc, node string
	kinds, cri               []string
	kubeconfig               string
	minAge, settle           time.Duration
	maxRate                  int // of sweep and run
	output                   string
	verbose                  bool
	logFormat, logLevel      string
	dirs                     map[string]string

	held []byte // the agent's: a configuration that was accepted, whatever its file says now

	crictlPods, crictlContainers, kubectlPods, now string

	acceptIdle, shortAge bool
}

func (f *flags) register(s *pflag.FlagSet) {
	s.StringVar(&f.config, "config", "", "configuration `FILE` (strict YAML)")
	s.StringVar(&f.root, "root", "/", "the host's root `DIR`, where it is mounted elsewhere")
	s.StringVar(&f.proc, "proc", "", "the host's /proc `DIR` (default: ROOT/proc if it holds processes, else /proc)")
	s.StringVar(&f.node, "node", "", "this node's `NAME` in the API server (default: $NODE_NAME, else the host name)")
	s.StringSliceVar(&f.kinds, "kinds", nil, "only these `KINDS`, by name (see hostgc kinds)")
	s.StringToStringVar(&f.dirs, "dir", nil, "directory of a kind in place of what is discovered, as `KIND=DIR`")
	s.DurationVar(&f.minAge, "min-age", 0, "least age of what may be garbage (default 2h, at least 1h)")
	s.StringVarP(&f.output, "output", "o", "table", "output `FORMAT`: table, json, yaml or jsonl")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "list every object that is not live")
	s.StringArrayVar(&f.cri, "cri", nil, "CRI `ENDPOINT`, repeatable (default: every known socket that exists)")
	s.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `FILE` (default: in-cluster, else none)")
	s.StringVar(&f.logFormat, "log-format", "text", "log `FORMAT`: text or json")
	s.StringVar(&f.logLevel, "log-level", "info", "log `LEVEL`: debug, info, warn or error")
	s.BoolVar(&f.acceptIdle, "accept-idle-node", false, "judge although no pod runs here: only if you know that this node is drained")

	s.StringVar(&f.crictlPods, "crictl-pods", "", "offline: `FILE` of crictl pods -o json")
	s.StringVar(&f.crictlContainers, "crictl-containers", "", "offline: `FILE` of crictl ps -a -o json")
	s.StringVar(&f.kubectlPods, "kubectl-pods", "", "offline: `FILE` of kubectl get pods -A -o json")
	s.StringVar(&f.now, "now", "", "offline: the `TIME` at which to judge (RFC 3339)")

	s.BoolVar(&f.shortAge, "unsafe-short-age", false, "allow --min-age below 1h: test clusters only, it can remove what is being created")
	if err := s.MarkHidden("unsafe-short-age"); err != nil {
		panic(err) // the flag is three lines above
	}
}

// offline reports whether the node is judged from files: a rescued disk, a
// must-gather, a test.
func (f *flags) offline() bool { return f.crictlPods != "" || f.crictlContainers != "" }

// check finds what is wrong with the flags by themselves.
func (f *flags) check() error {
	var errs []error
	if f.minAge != 0 && f.minAge < hostgc.MinimumAge && !f.shortAge {
		errs = append(errs, fmt.Errorf("--min-age %s is less than %s, in which a sandbox may exist that no runtime lists", f.minAge, hostgc.MinimumAge))
	}
	if f.maxRate < 0 {
		errs = append(errs, errors.New("--max-rate must not be negative"))
	}
	if f.now != "" && !f.offline() {
		errs = append(errs, errors.New("--now goes with --crictl-pods and --crictl-containers: a running node is judged by its own clock"))
	}
	if !slices.Contains([]string{"table", "json", "yaml", "jsonl"}, f.output) {
		errs = append(errs, fmt.Errorf("--output %q: use table, json, yaml or jsonl", f.output))
	}
	if f.offline() && len(f.cri) > 0 {
		errs = append(errs, errors.New("--cri asks a running runtime, --crictl-pods reads a file: use one of them"))
	}
	return errors.Join(errs...)
}

// at gives the time at which to judge.
func (f *flags) at() (time.Time, error) {
	if f.now == "" {
		return time.Now(), nil
	}
	t, err := time.Parse(time.RFC3339, f.now)
	if err != nil {
		return t, fmt.Errorf("--now %q is not a time as in 2026-11-30T20:08:25Z", f.now)
	}
	return t, nil
}

// load reads the configuration and lets the flags win over it.
func (f *flags) load(known []string) (config.Config, error) {
	c, err := f.read(known)
	if err != nil {
		return c, err
	}
	if f.node != "" {
		c.Node = f.node
	}
	if len(f.cri) > 0 {
		c.CRI = f.cri
	}
	if f.kubeconfig != "" {
		c.Kubeconfig = f.kubeconfig
	}
	if f.minAge != 0 {
		c.MinAge = config.Duration(f.minAge)
	}
	if f.maxRate != 0 {
		c.MaxRate = f.maxRate
	}
	if err := f.selectKinds(&c, known); err != nil {
		return c, err
	}
	return c, f.overrideDirs(&c, known)
}

func (f *flags) read(known []string) (config.Config, error) {
	switch {
	case f.held != nil:
		return config.Parse(f.held, known)
	case f.config != "":
		return config.Load(f.config, known)
	}
	return config.Default(), nil
}

// selectKinds turns every kind off that --kinds does not name.
func (f *flags) selectKinds(c *config.Config, known []string) error {
	for _, k := range f.kinds {
		if !slices.Contains(known, k) {
			return fmt.Errorf("--kinds: no such kind %q; there are %s", k, strings.Join(known, ", "))
		}
	}
	if len(f.kinds) == 0 {
		return nil
	}
	for _, k := range known {
		if !slices.Contains(f.kinds, k) {
			c.SetMode(k, hostgc.ModeOff)
		}
	}
	return nil
}

func (f *flags) overrideDirs(c *config.Config, known []string) error {
	for k, dir := range f.dirs {
		if !slices.Contains(known, k) {
			return fmt.Errorf("--dir %s=%s: no such kind; there are %s", k, dir, strings.Join(known, ", "))
		}
		c.SetDirs(k, []string{dir})
	}
	return nil
}
