package agent

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hostgc/hostgc"
)

// script is a cycle that notes how it was called and fails where told to.
type script struct {
	starts  []time.Duration
	limits  []int
	earlier []*hostgc.Condemned
	fail    map[int]bool
	removed map[int]int
	given   []*hostgc.Condemned
	begin   time.Time
	stop    context.CancelFunc
	last    int
}

func (s *script) cycle(_ context.Context, earlier *hostgc.Condemned, limits map[string]int) (Result, error) {
	n := len(s.starts)
	s.starts = append(s.starts, time.Since(s.begin))
	s.limits = append(s.limits, limits["a"])
	s.earlier = append(s.earlier, earlier)
	if n == s.last {
		s.stop()
	}
	c := hostgc.NewCondemned()
	s.given = append(s.given, c)
	var err error
	if s.fail[n] {
		err = errors.New("no")
	}
	return Result{Condemned: c, Removed: map[string]int{"a": s.removed[n]}}, err
}

func play(t *testing.T, s *script, jitter time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		s.begin, s.stop = time.Now(), stop
		Agent{Kinds: []string{"a"}, Interval: time.Minute, Jitter: jitter, Cycle: s.cycle, Log: slog.New(slog.DiscardHandler)}.Run(ctx)
	})
}

func TestEachCycleConfirmsTheOneBefore(t *testing.T) {
	s := &script{last: 4, fail: map[int]bool{2: true}}
	play(t, s, 0)
	if s.earlier[0] != nil {
		t.Error("the first cycle had something to confirm")
	}
	if s.earlier[1] != s.given[0] || s.earlier[2] != s.given[1] {
		t.Error("a cycle does not confirm the one before")
	}
	if s.earlier[3] != nil {
		t.Error("what a failed cycle condemned was kept")
	}
	if s.earlier[4] != s.given[3] {
		t.Error("no recovery after a failed cycle")
	}
}

func TestRampCountsCyclesThatRemoved(t *testing.T) {
	s := &script{last: 5, removed: map[int]int{1: 10, 3: 100}}
	play(t, s, 0)
	if want := []int{10, 10, 100, 100, 1000, 1000}; !slices.Equal(s.limits, want) {
		t.Errorf("limits %v, want %v", s.limits, want)
	}
}

func TestIntervalAndJitter(t *testing.T) {
	s := &script{last: 3}
	play(t, s, 0)
	if want := []time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute}; !slices.Equal(s.starts, want) {
		t.Errorf("cycles at %v, want %v", s.starts, want)
	}
	s = &script{last: 30}
	play(t, s, 10*time.Second)
	distinct := map[time.Duration]bool{}
	for i, at := range s.starts[1:] {
		d := at - s.starts[i]
		if d < time.Minute || d >= 70*time.Second {
			t.Errorf("an interval of %v", d)
		}
		distinct[d] = true
	}
	if len(distinct) < 2 {
		t.Error("no jitter")
	}
}

func TestStopsBetweenCycles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 90*time.Second)
		defer stop()
		n := 0
		Agent{Interval: time.Minute, Log: slog.New(slog.DiscardHandler), Cycle: func(context.Context, *hostgc.Condemned, map[string]int) (Result, error) {
			n++
			return Result{}, nil
		}}.Run(ctx)
		if n != 2 {
			t.Errorf("%d cycles in 90 seconds, want 2", n)
		}
	})
}
