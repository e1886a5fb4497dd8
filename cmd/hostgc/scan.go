package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/observe"
	"github.com/hostgc/hostgc/report"
	"github.com/hostgc/hostgc/sweep"
)

func (a *app) scan() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "Show what is garbage here, why and how much; removes nothing",
		Example: `  hostgc scan
  hostgc scan -o jsonl | jq -r 'select(.decision.verdict=="garbage").decision.path'
  hostgc scan --from node.hostgc     # judge a recording made by hostgc observe`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from != "" {
				return a.replay(from)
			}
			return a.look(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "judge a recording `FILE` made by hostgc observe, instead of this node")
	return cmd
}

// look makes one pass that removes nothing.
func (a *app) look(ctx context.Context) error {
	h, err := open(&a.flags, a.log)
	if err != nil {
		return err
	}
	defer h.Close()
	out := a.newOutput(report.Table{Node: h.node.Name, At: h.at}, h.allKinds(), h.modes)
	sink := a.progress("looking", out)
	_, err = sweep.Pass(ctx, h.node, nil, sweep.Options{Log: a.log}, sink)
	if err == nil {
		out.rows, err = h.lookAtTrees(ctx, sink)
	}
	a.console.done()
	return out.close(err)
}

func (a *app) progress(what string, next sweep.Sink) *progress {
	return &progress{what: what, console: a.console, log: a.log, next: next}
}

// replay judges a recording with the kinds of this hostgc.
func (a *app) replay(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return usagef("--from: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	kinds, modes := kind.All(discover.Layout{}), map[string]hostgc.Mode{}
	for _, k := range kinds {
		modes[k.Name] = k.Mode
	}
	out := a.newOutput(report.Table{}, kinds, modes)
	err = observe.Replay(f, kinds,
		func(head observe.Header, h hostgc.Hearing) error {
			out.table.Node, out.table.At = head.Node, head.At
			return out.Hear(h)
		},
		func(d hostgc.Decision) error { return out.Decide(d, sweep.Outcome{}) })
	if err != nil {
		return usagef("--from %s: %w", file, err)
	}
	return out.close(nil)
}

// output is where a pass's report goes: counted for a table, or streamed.
type output struct {
	app    *app
	table  report.Table
	tally  *report.Tally
	writer report.Writer // nil: a table
	start  func() (report.Writer, error)
	rows   []datadir.Row // of data directories, for the table
}

func (a *app) newOutput(t report.Table, kinds []hostgc.Kind, modes map[string]hostgc.Mode) *output {
	o := &output{app: a, table: t, tally: report.NewTally(kinds, modes)}
	if a.flags.output == "table" {
		return o
	}
	o.start = func() (report.Writer, error) {
		return report.NewWriter(a.flags.output, a.stdout, o.table.Node, o.table.At)
	}
	return o
}

// Hear takes a hearing. The document begins with the first: only then is it
// known whose it is.
func (o *output) Hear(h hostgc.Hearing) error {
	if o.start != nil {
		w, err := o.start()
		if err != nil {
			return usage(err)
		}
		o.writer, o.start = w, nil
	}
	return o.tally.Hear(h)
}

// Decide takes a decision.
func (o *output) Decide(d hostgc.Decision, done sweep.Outcome) error {
	if err := o.tally.Decide(d, done); err != nil {
		return err
	}
	if o.writer != nil {
		return o.writer.Decide(d, done)
	}
	if o.app.flags.verbose && d.Verdict != hostgc.Live {
		return o.line(d, done)
	}
	return nil
}

func (o *output) line(d hostgc.Decision, done sweep.Outcome) error {
	verdict := string(d.Verdict)
	if done.Removed {
		verdict = "removed"
	}
	text := d.Object.Cause
	if d.Verdict != hostgc.Garbage {
		text = d.Because[0].Text
	}
	_, err := fmt.Fprintf(o.app.stdout, "%-8s %s  %s\n", verdict, d.Object.Path(), text)
	return err
}

// close ends the report, and turns what it says into an exit code.
func (o *output) close(err error) error {
	if err != nil {
		if o.writer != nil { // what was begun is to be a whole document
			err = errors.Join(err, o.writer.Close(o.tally))
		}
		return stopped(err)
	}
	if o.writer != nil {
		err = o.writer.Close(o.tally)
	} else {
		err = o.writeTables()
	}
	switch {
	case err != nil:
		return fmt.Errorf("writing the report: %w", err)
	case o.tally.Failed > 0:
		return &codedError{exitFailed, fmt.Errorf("%d objects could not be removed: %w", o.tally.Failed, o.tally.Failure)}
	case !o.tally.Judged():
		return &codedError{exitBlind, errors.New("not everything could be judged; nothing of that was removed")}
	}
	return nil
}

func (o *output) writeTables() error {
	if len(o.rows) > 0 {
		if err := datadir.Table(o.app.stdout, o.rows); err != nil {
			return err
		}
		fmt.Fprintln(o.app.stdout)
	}
	return o.table.Write(o.app.stdout, o.tally)
}

// stopped says in words that a signal ended the work.
func stopped(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped by a signal: %w", err)
	}
	return err
}
