package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/metrics"
)

// runFlags are the flags of run alone. They win over the configuration, also
// over one that is read later.
type runFlags struct {
	interval, jitter time.Duration
	listen, stateDir string
	pprof            bool
	changed          func(flag string) bool
}

func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run as an agent: look at the node again and again, and remove what was garbage twice",
		Long: `run looks at the node every --interval (and up to --jitter more), and at once
when free inodes, bytes or host-local addresses become scarce. What one cycle
found to be garbage, the next removes if it still is; with CRI-O, one that is an
hour later. The first cycles that remove something remove at most 10, 100, 1000
and 10000 objects of a kind, also over restarts.

The configuration is read anew on SIGHUP, and within a minute after the file
changed; one with a mistake is refused, and the one before stays in use. SIGTERM
ends run after the object at hand.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.changed = cmd.Flags().Changed
			return a.runAgent(cmd, f)
		},
	}
	s := cmd.Flags()
	s.DurationVar(&f.interval, "interval", 0, "time between cycles (default 10m)")
	s.DurationVar(&f.jitter, "jitter", 0, "the most that is added to an interval at random (default 1m)")
	s.StringVar(&f.listen, "listen", "", "`ADDRESS` of /metrics, /healthz and /readyz; empty: none (default 127.0.0.1:9617)")
	s.StringVar(&f.stateDir, "state-dir", "", "`DIR` for what has to survive a restart; empty: none (default /var/lib/hostgc)")
	a.flags.registerRate(s)
	s.BoolVar(&f.pprof, "pprof", false, "serve /debug/pprof too")
	return cmd
}

// over lets the flags win.
func (f runFlags) over(c *config.Config) {
	for flag, set := range map[string]func(){
		"interval":  func() { c.Interval = config.Duration(f.interval) },
		"jitter":    func() { c.Jitter = config.Duration(f.jitter) },
		"listen":    func() { c.Listen = f.listen },
		"state-dir": func() { c.StateDir = f.stateDir },
	} {
		if f.changed(flag) {
			set()
		}
	}
}

func (a *app) runAgent(cmd *cobra.Command, f runFlags) error {
	if a.flags.offline() {
		return usagef("run is for a running node, and not for one that is read from files")
	}
	s, err := a.settle(f)
	if err != nil {
		return err
	}
	if err := idleIO(); err != nil {
		a.log.Warn("the agent's reads and writes compete with those of others", "error", err)
	}
	w := newWorker(a, f, s)
	state := w.loadState()
	_, commit, _ := strings.Cut(revision(), " ") // from the Go version before it
	w.metrics = metrics.New(version, commit, kindNames(), state)
	w.metrics.Accepted(time.Now(), s.times())
	stop, err := w.serve(s.config.Listen)
	if err != nil {
		return err
	}
	defer stop()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	w.notify(agent.NotifyReady)
	defer w.notify(agent.NotifyStopping)
	(&agent.Agent{
		Kinds: kindNames(), Cycle: w.cycle, Times: func() agent.Times { return w.settings.times() },
		Check: w.check, Hangup: hangup, State: state, Save: w.saveState, Log: a.log,
	}).Run(cmd.Context())
	a.log.Info("stopped")
	return nil
}

// loadState reads what was kept over the restart. The directory stays the same
// for as long as the agent runs.
func (w *worker) loadState() agent.State {
	if w.stateDir == "" {
		return agent.NewState()
	}
	state, err := agent.Load(w.stateDir, kindNames())
	if err != nil {
		w.log.Warn("the agent begins as if it were new on this node", "error", err)
	}
	return state
}

func (w *worker) saveState(s agent.State) error {
	if w.stateDir == "" {
		return nil
	}
	return s.Save(w.stateDir)
}

// notify tells systemd, where it listens.
func (w *worker) notify(message string) {
	if err := agent.Notify(os.Getenv("NOTIFY_SOCKET"), message); err != nil {
		w.log.Warn("the supervisor was not told", "error", err)
	}
}
