package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/report"
	"github.com/hostgc/hostgc/sweep"
)

func (a *app) run() *cobra.Command {
	var interval, jitter time.Duration
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run as an agent: look at the node again and again, and remove what was garbage twice",
		Long: `run looks at the node every --interval (and up to --jitter more). What one cycle
found to be garbage, the next removes if it still is. The first cycles that remove
something remove at most 10, 100, 1000 and 10000 objects of a kind.
SIGTERM ends it after the object at hand.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAgent(cmd, interval, jitter)
		},
	}
	cmd.Flags().DurationVar(&interval, "interval", 0, "time between cycles (default 10m)")
	cmd.Flags().DurationVar(&jitter, "jitter", 0, "the most that is added to an interval at random (default 1m)")
	return cmd
}

func (a *app) runAgent(cmd *cobra.Command, interval, jitter time.Duration) error {
	h, err := open(&a.flags, a.log) // finds wrong flags before the first cycle
	if err != nil {
		return err
	}
	h.Close()
	if a.flags.offline() {
		return usagef("run is for a running node, and not for one that is read from files")
	}
	c := h.config
	if cmd.Flags().Changed("interval") {
		c.Interval = config.Duration(interval)
	}
	if cmd.Flags().Changed("jitter") {
		c.Jitter = config.Duration(jitter)
	}
	if c.Interval < c.Settle || c.Interval <= 0 || c.Jitter < 0 {
		return usagef("--interval %s must be at least the settle time, %s, for a cycle confirms the one before; --jitter must not be negative", time.Duration(c.Interval), time.Duration(c.Settle))
	}
	agent.Agent{
		Kinds: kindNames(), Interval: time.Duration(c.Interval), Jitter: time.Duration(c.Jitter),
		Cycle: a.cycle, Log: a.log,
	}.Run(cmd.Context())
	a.log.Info("stopped")
	return nil
}

// cycle opens the node anew: directories, sockets and configuration may have
// come since the last.
func (a *app) cycle(ctx context.Context, earlier *hostgc.Condemned, ramp map[string]int) (agent.Result, error) {
	h, err := open(&a.flags, a.log)
	if err != nil {
		return agent.Result{}, err
	}
	defer h.Close()
	unlock, err := sweep.Lock(ctx, h.node)
	if err != nil {
		return agent.Result{}, err
	}
	defer unlock()
	limits := h.limits(0)
	for kind, n := range ramp {
		limits[kind] = hostgc.Tighter(limits[kind], n)
	}
	tally := report.NewTally(h.kinds, h.modes)
	begin := time.Now()
	condemned, err := sweep.Pass(ctx, h.node, earlier,
		sweep.Options{Modes: h.modes, Plan: hostgc.NewPlan(limits), Log: a.log}, a.progress("cycle", tally))
	a.console.done()
	result := agent.Result{Condemned: condemned, Removed: map[string]int{}}
	for _, s := range tally.Summaries() {
		result.Removed[s.Kind] = s.Removed
		a.log.Info("looked", "kind", s.Kind, "mode", s.Mode, "live", s.Live, "young", s.Young, "unknown", s.Unknown,
			"garbage", s.Garbage, "removed", s.Removed, "bytes", s.Bytes, "causes", s.Causes)
	}
	a.log.Info("cycle", "took", time.Since(begin).Round(time.Millisecond), "judged", tally.Judged(), "failed", tally.Failed)
	for why, n := range tally.Blind {
		a.log.Warn("not judged", "objects", n, "why", why)
	}
	if ctx.Err() != nil {
		return result, nil
	}
	return result, errors.Join(err, tally.Failure)
}
