package sweep_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// clock is a time that passes only in waits.
type clock struct {
	now   time.Time
	waits int
}

func (c *clock) wait(_ context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.waits++
	return nil
}

func (c *clock) pace(rate int) *sweep.Pace {
	return &sweep.Pace{Rate: rate, Now: func() time.Time { return c.now }, Wait: c.wait}
}

func TestPace(t *testing.T) {
	for _, test := range []struct {
		rate  int
		takes time.Duration // from the first removal to the last of 50
		waits int
	}{
		{0, 0, 0},
		{1, 49 * time.Second, 49},
		{1000, 49 * time.Millisecond, 49},
		{10_000, 4 * time.Millisecond, 4}, // ten at once, each millisecond
	} {
		var names []string
		for i := range 50 {
			names = append(names, fmt.Sprintf("gone.%d", i))
		}
		f, c := running(t, names...), &clock{now: time.Unix(0, 0)}
		opts := options()
		opts.Pace = c.pace(test.rate)
		twice(t, f, opts, nothing)
		if took := c.now.Sub(time.Unix(0, 0)); took != test.takes || c.waits != test.waits {
			t.Errorf("at %d a second it took %s in %d waits, want %s in %d", test.rate, took, c.waits, test.takes, test.waits)
		}
		wantLeft(t, f, "up.1")
	}
}

func TestStoppedWhileItWaits(t *testing.T) {
	f, c := running(t, "gone.1", "gone.2", "gone.3"), &clock{now: time.Unix(0, 0)}
	ctx, stop := context.WithCancel(t.Context())
	opts, r := options(), result{}
	opts.Pace = c.pace(1)
	opts.Pace.Wait = func(ctx context.Context, _ time.Duration) error { stop(); return ctx.Err() }
	wait := func(context.Context, time.Duration) error { return nil }
	if err := sweep.Twice(ctx, f.Node, 0, wait, opts, sweep.Ignore{}, r); err == nil {
		t.Error("a pass that was stopped ends without an error")
	}
	if got := left(t, f); len(got) != 3 {
		t.Errorf("left are %v, want all but the one that was due at once", got)
	}
}

// What is removed late was heard of late.
func TestSlowPassHearsMoreOften(t *testing.T) {
	f, c := running(t), &clock{now: time.Unix(0, 0)}
	for i := range 700 {
		f.Write(fmt.Sprintf("a/gone.%d", i))
	}
	opts := options()
	opts.Pace = c.pace(1)
	condemned, err := sweep.Pass(t.Context(), f.Node, nil, opts, sweep.Ignore{})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Asked["cri"]; got != 1 {
		t.Errorf("a pass that removes nothing made %d hearings, want 1", got)
	}
	heard := hearings{now: func() time.Time { return c.now }}
	if _, err := sweep.Pass(t.Context(), f.Node, condemned, opts, &heard); err != nil {
		t.Fatal(err)
	}
	if heard.removed != 700 || heard.oldest >= 9*time.Minute {
		t.Errorf("%d were removed, one %s after its hearing", heard.removed, heard.oldest)
	}
}

// hearings notes how long after its hearing a file was removed.
type hearings struct {
	now     func() time.Time
	last    time.Time
	oldest  time.Duration
	removed int
}

func (h *hearings) Hear(hostgc.Hearing) error { h.last = h.now(); return nil }

func (h *hearings) Decide(_ hostgc.Decision, done sweep.Outcome) error {
	if done.Removed {
		h.removed++
		h.oldest = max(h.oldest, h.now().Sub(h.last))
	}
	return nil
}
