package main

import (
	"context"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// trees looks at the data directories of RKE2 and K3s, and removes what is
// garbage in two looks of its own.
func (w *worker) trees(ctx context.Context, h *host, opts sweep.Options, sink sweep.Sink) error {
	_, err := h.sweepTrees(ctx, time.Duration(w.settings.config.Settle), w.waitAlive, opts, sink)
	return err
}

// waitAlive waits, and says that the agent is at work.
func (w *worker) waitAlive(ctx context.Context, d time.Duration) error {
	for d > 0 {
		step := min(d, time.Minute)
		if err := w.wait(ctx, step); err != nil {
			return err
		}
		w.beat()
		d -= step
	}
	return nil
}

// remembering adds to the garbage that a cycle left the directories, which have
// a remover of their own: only so is what is new among them told from the rest.
type remembering struct {
	sweep.Sink
	left *hostgc.Condemned
}

// Decide remembers an object.
func (r remembering) Decide(d hostgc.Decision, done sweep.Outcome) error {
	if d.Verdict == hostgc.Garbage && !done.Removed {
		r.left.Add(d.Object)
	}
	return r.Sink.Decide(d, done)
}
