// Package agent repeats cycles on a node for as long as it runs. A cycle is
// one pass; what it condemned, a later one that succeeds may remove, once the
// two are as far apart as the node's runtime needs.
//
// A cycle starts when the interval is over, or earlier when something becomes
// scarce or the configuration changes. The first starts at once: it can remove
// nothing, and that a node is up for long enough is the judge's to say, who
// keeps everything until node and runtime have been up for the minimum age.
//
// All of it happens in one goroutine, one thing after the other: no cycle sees
// its configuration change.
package agent

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/hostgc/hostgc"
)

// Result is what a cycle did.
type Result struct {
	Condemned *hostgc.Condemned
	Apart     time.Duration // how much later a pass may confirm what this one condemned
	Removed   map[string]int
	Bytes     int64 // that the removals freed
}

// Cycle makes one pass, which may remove what an earlier one condemned (nil:
// nothing). Limits are the most that it may remove of each kind.
type Cycle func(ctx context.Context, earlier *hostgc.Condemned, limits map[string]int) (Result, error)

// Times are the agent's waits.
type Times struct {
	Interval time.Duration
	Jitter   time.Duration // the most that is added to an interval
	Settle   time.Duration // the least between two cycles
}

// Agent repeats cycles.
type Agent struct {
	Kinds []string
	Cycle Cycle
	Times func() Times // asked after each cycle: the configuration may have changed

	// Check is asked each minute between cycles, and at a hang-up, whether there
	// is a reason to start a cycle early, which it gives in words.
	Check  func(ctx context.Context, hangup bool) string
	Hangup <-chan os.Signal

	State State
	Save  func(State) error // is given the state when it changed
	Log   *slog.Logger
}

// checkEvery is how often the agent looks whether something became scarce, and
// tells its supervisor that it lives.
const checkEvery = time.Minute

// Run repeats cycles until the context ends.
func (a *Agent) Run(ctx context.Context) {
	var looks looks
	minute := time.NewTicker(checkEvery)
	defer minute.Stop()
	for why := "start"; ; {
		a.Log.Debug("cycle starts", "because", why)
		result, err := a.Cycle(ctx, looks.ripe(), a.State.Limits(a.Kinds))
		if ctx.Err() != nil {
			a.record(result)
			return
		}
		if err != nil {
			a.Log.Error("cycle failed; the next starts from nothing", "error", err)
			looks.forget()
		} else {
			looks.add(result)
		}
		a.record(result)
		if why = a.pause(ctx, minute.C); why == "" {
			return
		}
	}
}

// record keeps what is to survive a restart. Where it cannot be written the
// ramp starts anew after the next restart, which only makes the agent slower.
func (a *Agent) record(r Result) {
	if !a.State.add(r) {
		return
	}
	if err := a.Save(a.State); err != nil {
		a.Log.Warn("the agent's state is not saved, and is tried again when it changes", "error", err)
	}
}

// pause waits for the next cycle and says why it starts, or nothing at the end
// of the context. The jitter keeps the agents of a fleet that was started at
// once from asking one API server at once.
func (a *Agent) pause(ctx context.Context, minute <-chan time.Time) string {
	t := a.Times()
	due := time.NewTimer(t.Interval + jitter(t.Jitter))
	defer due.Stop()
	rest := time.NewTimer(t.Settle)
	defer rest.Stop()
	rested, why := false, ""
	for !rested || why == "" {
		select {
		case <-ctx.Done():
			return ""
		case <-due.C:
			return "the interval is over"
		case <-rest.C:
			rested = true
		case <-minute:
			why = cmp.Or(why, a.Check(ctx, false))
		case <-a.Hangup:
			why = cmp.Or(why, a.Check(ctx, true))
		}
	}
	a.Log.Info("a cycle starts early", "because", why)
	return why
}

func jitter(most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}
