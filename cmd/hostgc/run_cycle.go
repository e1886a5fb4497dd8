package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/report"
	"github.com/hostgc/hostgc/sweep"
)

func (w *worker) cycle(ctx context.Context, earlier *hostgc.Condemned, limits map[string]int) (agent.Result, error) {
	begin := time.Now()
	count := agent.NewCount(w.before, sweep.Ignore{})
	found, err := w.look(ctx, earlier, limits, count)
	w.before = found.condemned
	result := agent.Result{Condemned: found.condemned, Apart: found.apart, Removed: count.Removed, Bytes: count.Bytes}
	if ctx.Err() != nil {
		return result, err
	}
	w.progressed = count.Total() > 0
	problem := errors.Join(err, found.problem)
	w.health.Ended(errors.Join(problem, mute(found.hearing)))
	w.metrics.Cycle(count, time.Now(), time.Since(begin), err == nil, problem)
	w.metrics.Levels(w.levels())
	w.tellEvent(ctx, count)
	w.log.Info("cycle", "took", time.Since(begin).Round(time.Millisecond), "removed", count.Total(), "bytes", count.Bytes)
	return result, err
}

// found is what a look at the whole node found.
type found struct {
	condemned *hostgc.Condemned
	hearing   hostgc.Hearing
	apart     time.Duration
	problem   error // something that failed without spoiling the look
}

// look opens the node anew: directories and sockets may have come since the
// last.
func (w *worker) look(ctx context.Context, earlier *hostgc.Condemned, limits map[string]int, count *agent.Count) (found, error) {
	h, err := open(&w.settings.flags, w.log)
	if err != nil {
		return found{}, err
	}
	defer h.Close()
	w.watch(h)
	unlock, err := sweep.Lock(ctx, h.node)
	if err != nil {
		return found{}, err
	}
	defer unlock()
	for kind, n := range h.limits(0) {
		limits[kind] = hostgc.Tighter(limits[kind], n)
	}
	tally := report.NewTally(h.allKinds(), h.modes)
	count.Next = tally
	sink := beating{w.progress("cycle", count), w.beat}
	opts := sweep.Options{Modes: h.modes, Plan: hostgc.NewPlan(limits), Keep: w.keep(), Pace: h.pace(), Log: w.log}
	apart := &sweep.Apart{Sink: sink, Settle: time.Duration(w.settings.config.Settle)}
	condemned, err := sweep.Pass(ctx, h.node, earlier, opts, apart)
	if err != nil {
		return found{}, err
	}
	heard := tally.Hearing // before that of the data directories, which knows nothing of runtimes
	err = w.trees(ctx, h, opts, remembering{sink, condemned})
	w.console.done()
	logTally(w.log, tally, err)
	return found{condemned, heard, apart.Least, errors.Join(tally.Failure, err)}, nil
}

// mute says which witnesses gave no answer. With one of them the agent can do
// no work, for want of a mount, a permission or a runtime.
func mute(h hostgc.Hearing) error {
	var errs []error
	for _, t := range h.Testimonies {
		if t.Mute() {
			errs = append(errs, fmt.Errorf("witness %s is mute: %s", t.Witness, t.Err))
		}
	}
	return errors.Join(errs...)
}

// beating shows at each hearing that a long cycle is at work.
type beating struct {
	sweep.Sink
	beat func()
}

func (b beating) Hear(h hostgc.Hearing) error {
	b.beat()
	return b.Sink.Hear(h)
}

// keep says why something is to be kept that the judge would give away: the
// operator's patterns always, the windows while none is open.
func (w *worker) keep() func(hostgc.Object) string {
	keeper, calendar := w.settings.config.Keeper(), w.settings.calendar
	return func(o hostgc.Object) string {
		why := keeper.Keep(o)
		if why == "" && !calendar.Open(time.Now()) {
			why = "no maintenance window is open (windows)"
		}
		return why
	}
}

func (w *worker) watch(h *host) {
	w.watched, w.confDirs = nil, h.layout.ConfDirs
	for _, p := range h.node.Places {
		w.watched = append(w.watched, p.Dir.Path())
	}
}

func logTally(log *slog.Logger, t *report.Tally, trees error) {
	for _, s := range t.Summaries() {
		log.Info("looked", "kind", s.Kind, "mode", s.Mode, "live", s.Live, "young", s.Young, "unknown", s.Unknown,
			"garbage", s.Garbage, "removed", s.Removed, "bytes", s.Bytes, "causes", s.Causes)
	}
	for why, n := range t.Blind {
		log.Warn("not judged", "objects", n, "why", why)
	}
	if t.Failed > 0 {
		log.Error("not everything could be removed", "objects", t.Failed, "first", t.Failure)
	}
	if trees != nil {
		log.Error("data directories of RKE2 and K3s", "error", trees)
	}
}
