// Package agent repeats cycles on a node for as long as it runs. A cycle is
// one pass; what it condemned, the next one that succeeds may remove. So the
// interval is the settle time between the two looks.
package agent

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/hostgc/hostgc"
)

// Result is what a cycle did.
type Result struct {
	Condemned *hostgc.Condemned
	Removed   map[string]int // by kind
}

// Cycle makes one pass. Limits are the most that it may remove of each kind.
type Cycle func(ctx context.Context, earlier *hostgc.Condemned, limits map[string]int) (Result, error)

// Agent repeats cycles.
type Agent struct {
	Kinds    []string
	Interval time.Duration
	Jitter   time.Duration // the most that is added to an interval
	Cycle    Cycle
	Log      *slog.Logger
}

// Run makes the first cycle at once, as it can remove nothing, and returns
// when the context ends. A cycle that fails is logged, and what was condemned
// before it is forgotten.
func (a Agent) Run(ctx context.Context) {
	var earlier *hostgc.Condemned
	rounds := map[string]int{} // by kind: cycles that removed something
	for {
		limits := map[string]int{}
		for _, k := range a.Kinds {
			limits[k] = hostgc.Ramp(rounds[k])
		}
		result, err := a.Cycle(ctx, earlier, limits)
		if ctx.Err() != nil {
			return
		}
		earlier = result.Condemned
		if err != nil {
			a.Log.Error("cycle failed; the next starts from nothing", "error", err)
			earlier = nil
		}
		for kind, n := range result.Removed {
			if n > 0 {
				rounds[kind]++
			}
		}
		if !a.pause(ctx) {
			return
		}
	}
}

// pause waits for the next cycle. The jitter keeps the agents of a fleet that
// was started at once from asking one API server at once.
func (a Agent) pause(ctx context.Context) bool {
	d := a.Interval
	if a.Jitter > 0 {
		d += rand.N(a.Jitter)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
