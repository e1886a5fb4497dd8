package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"syscall"
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
	apart   time.Duration
	given   []*hostgc.Condemned
	begin   time.Time
	stop    context.CancelFunc
	last    int

	times  Times
	check  func(at time.Duration, hangup bool) string
	hangup bool // once, before the first cycle ends
	state  State
	save   func(State) error
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
	return Result{Condemned: c, Apart: s.apart, Removed: map[string]int{"a": s.removed[n]}, Bytes: int64(s.removed[n])}, err
}

func play(t *testing.T, s *script) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		s.begin, s.stop = time.Now(), stop
		hangup := make(chan os.Signal, 1)
		if s.hangup {
			hangup <- syscall.SIGHUP
		}
		if s.state.Rounds == nil {
			s.state = NewState()
		}
		if s.save == nil {
			s.save = func(State) error { return nil }
		}
		(&Agent{Kinds: []string{"a"}, Cycle: s.cycle, Times: func() Times { return s.times },
			Check: func(_ context.Context, hangup bool) string {
				if s.check == nil {
					return ""
				}
				return s.check(time.Since(s.begin), hangup)
			},
			Hangup: hangup, State: s.state, Save: s.save, Log: slog.New(slog.DiscardHandler)}).Run(ctx)
	})
}

var everyMinute = Times{Interval: time.Minute}

func TestEachCycleConfirmsTheOneBefore(t *testing.T) {
	s := &script{times: everyMinute, last: 4, fail: map[int]bool{2: true}}
	play(t, s)
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
	s := &script{times: everyMinute, last: 5, removed: map[int]int{1: 10, 3: 100}}
	play(t, s)
	if want := []int{10, 10, 100, 100, 1000, 1000}; !slices.Equal(s.limits, want) {
		t.Errorf("limits %v, want %v", s.limits, want)
	}
}

func TestIntervalAndJitter(t *testing.T) {
	s := &script{times: everyMinute, last: 3}
	play(t, s)
	if want := []time.Duration{0, time.Minute, 2 * time.Minute, 3 * time.Minute}; !slices.Equal(s.starts, want) {
		t.Errorf("cycles at %v, want %v", s.starts, want)
	}
	s = &script{last: 30, times: Times{Interval: time.Minute, Jitter: 10 * time.Second}}
	play(t, s)
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
	s := &script{last: -1, times: Times{Interval: 70 * time.Second}}
	s.check = func(at time.Duration, _ bool) string {
		if at > 90*time.Second {
			s.stop()
		}
		return ""
	}
	play(t, s)
	if len(s.starts) != 2 {
		t.Errorf("%d cycles until it was stopped at 2m, want 2", len(s.starts))
	}
}

// With CRI-O the two looks are an hour apart, and the agent still looks every
// ten minutes.
func TestLooksAreApart(t *testing.T) {
	s := &script{last: 14, times: Times{Interval: 10 * time.Minute}, apart: time.Hour}
	play(t, s)
	confirmed := map[int]int{} // by cycle, the look that it may confirm; -1: none
	for i, e := range s.earlier {
		confirmed[i] = slices.Index(s.given, e)
	}
	for i := range s.earlier {
		want := -1
		switch {
		case i >= 12:
			want = 6 // was taken when that of 0 was old enough
		case i >= 6:
			want = 0
		}
		if confirmed[i] != want {
			t.Errorf("cycle %d confirms the look of %d, want %d", i, confirmed[i], want)
		}
		if c := confirmed[i]; c >= 0 && s.starts[i]-s.starts[c] < time.Hour {
			t.Errorf("cycle %d confirms one of %s before", i, s.starts[i]-s.starts[c])
		}
	}
}

// What a failed cycle left behind is not confirmed by, whatever its age.
func TestFailedCycleForgetsAllLooks(t *testing.T) {
	s := &script{last: 9, times: Times{Interval: 30 * time.Minute}, apart: time.Hour, fail: map[int]bool{4: true}}
	play(t, s)
	for i, want := range []bool{false, false, true, true, true, false, false, true} {
		if got := s.earlier[i] != nil; got != want {
			t.Errorf("cycle %d confirms something: %v, want %v", i, got, want)
		}
	}
}

// A reason starts a cycle early, but never before the settle time is over.
func TestEarlyCycle(t *testing.T) {
	s := &script{last: 2, times: Times{Interval: time.Hour, Settle: 90 * time.Second}}
	s.check = func(at time.Duration, _ bool) string {
		if at == time.Minute || at == 30*time.Minute {
			return "scarce"
		}
		return ""
	}
	play(t, s)
	if want := []time.Duration{0, 90 * time.Second, 30 * time.Minute}; !slices.Equal(s.starts, want) {
		t.Errorf("cycles at %v, want %v", s.starts, want)
	}
}

func TestHangupIsChecked(t *testing.T) {
	s := &script{last: 1, times: Times{Interval: time.Hour}, hangup: true}
	s.check = func(_ time.Duration, hangup bool) string {
		if hangup {
			return "the configuration changed"
		}
		return ""
	}
	play(t, s)
	if s.starts[1] != 0 {
		t.Errorf("the cycle began at %s", s.starts[1])
	}
}

// An interval that a reload changed counts from the next pause.
func TestIntervalMayChange(t *testing.T) {
	s := &script{last: 3, times: Times{Interval: time.Hour}}
	s.check = func(time.Duration, bool) string { s.times.Interval = 10 * time.Minute; return "" }
	play(t, s)
	if want := []time.Duration{0, time.Hour, 70 * time.Minute, 80 * time.Minute}; !slices.Equal(s.starts, want) {
		t.Errorf("cycles at %v, want %v", s.starts, want)
	}
}

// The ramp goes on after a restart, also after one in the middle of a cycle,
// and a state that cannot be saved stops nothing.
func TestStateIsGivenToBeSaved(t *testing.T) {
	var saved []string
	s := &script{last: 2, times: everyMinute, removed: map[int]int{1: 10, 2: 5}, state: NewState()}
	s.state.Rounds["a"] = 1
	s.save = func(state State) error {
		saved = append(saved, fmt.Sprint(state))
		return errors.New("no space left on device")
	}
	play(t, s)
	if want := []string{"{map[a:2] map[a:10] 10}", "{map[a:3] map[a:15] 15}"}; !slices.Equal(saved, want) {
		t.Errorf("saved %v, want %v", saved, want)
	}
	if want := []int{100, 100, 1000}; !slices.Equal(s.limits, want) {
		t.Errorf("limits %v, want %v", s.limits, want)
	}
}
