package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// progress tells how far a pass is, and passes on to the next sink.
type progress struct {
	what    string // "first look", "removing"
	console *console
	log     *slog.Logger
	next    sweep.Sink

	seen, garbage, removed int
	last                   time.Time
}

func (p *progress) Hear(h hostgc.Hearing) error {
	p.tell()
	return p.next.Hear(h)
}

func (p *progress) Decide(d hostgc.Decision, done sweep.Outcome) error {
	p.seen++
	if d.Verdict == hostgc.Garbage {
		p.garbage++
	}
	if done.Removed {
		p.removed++
	}
	// Asking the clock for each of a million files would be seen in a profile.
	if p.seen%256 == 0 {
		p.tell()
	}
	return p.next.Decide(d, done)
}

func (p *progress) tell() {
	every := logEvery
	if p.console.terminal {
		every = drawEvery
	}
	now := time.Now()
	if p.last.IsZero() {
		p.last = now
	}
	if now.Sub(p.last) < every {
		return
	}
	p.last = now
	if p.console.terminal {
		p.console.draw(fmt.Sprintf("%s: %d seen, %d garbage, %d removed", p.what, p.seen, p.garbage, p.removed))
		return
	}
	p.log.Info("progress", "step", p.what, "seen", p.seen, "garbage", p.garbage, "removed", p.removed)
}

// wait lets the time between two passes go by, and says so.
func (a *app) wait(ctx context.Context, d time.Duration) error {
	a.log.Info("waiting before the second look", "settle", d)
	end := time.Now().Add(d)
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	defer a.console.done()
	for time.Now().Before(end) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		case <-time.After(time.Until(end)):
		}
		if a.console.terminal {
			a.console.draw(fmt.Sprintf("second look in %s", time.Until(end).Round(time.Second)))
		}
	}
	return nil
}
