package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/report"
	"github.com/hostgc/hostgc/sweep"
)

func (a *app) sweep() *cobra.Command {
	var dryRun bool
	var limit int
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Remove what is garbage in two looks, some time apart",
		Long: `sweep looks twice, --settle apart, each time listing, hearing and judging anew,
and removes what was garbage both times and did not change in between. Each entry
removed is logged with its network, sandbox ID, interface, IPs and pod.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.flags.settle < 0 || limit < 0 {
				return usagef("--settle and --max must not be negative")
			}
			return a.sweepOnce(cmd.Context(), cmd.Flags().Changed("settle"), dryRun, limit)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "do all but the removal")
	cmd.Flags().DurationVar(&a.flags.settle, "settle", 0, "least time between the two looks (default 30s)")
	a.flags.registerRate(cmd.Flags())
	cmd.Flags().IntVar(&limit, "max", 0, "remove at most `N` objects of each kind (0: no limit)")
	return cmd
}

func (a *app) sweepOnce(ctx context.Context, settleGiven, dryRun bool, limit int) error {
	h, err := open(&a.flags, a.log)
	if err != nil {
		return err
	}
	defer h.Close()
	if settleGiven {
		h.config.Settle = config.Duration(a.flags.settle)
	}
	if !dryRun {
		unlock, err := sweep.Lock(ctx, h.node)
		if err != nil {
			return stopped(err)
		}
		defer unlock()
	}
	out := a.newOutput(report.Table{Node: h.node.Name, At: h.at, Swept: true, DryRun: dryRun}, h.allKinds(), h.modes)
	opts := sweep.Options{Modes: h.modes, DryRun: dryRun, Plan: hostgc.NewPlan(h.limits(limit)),
		Keep: h.config.Keeper().Keep, Pace: h.pace(), Log: a.log}
	settle, second := time.Duration(h.config.Settle), a.progress("second look", out)
	err = sweep.Twice(ctx, h.node, settle, a.wait, opts, a.progress("first look", sweep.Ignore{}), second)
	switch {
	case err != nil:
	case dryRun:
		out.rows, err = h.lookAtTrees(ctx, second)
	default:
		out.rows, err = h.sweepTrees(ctx, settle, a.wait, opts, second)
	}
	a.console.done()
	return out.close(err)
}

// limits gives the most that one cycle may remove of each kind: as configured,
// or the limit given if that is tighter.
func (h *host) limits(limit int) map[string]int {
	limits := map[string]int{}
	for _, k := range h.allKinds() {
		limits[k.Name] = hostgc.Tighter(h.config.Kinds[k.Name].Max, limit)
	}
	return limits
}
