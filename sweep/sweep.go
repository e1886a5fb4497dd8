// Package sweep removes what was garbage twice.
//
// The first pass condemns: it keeps eight bytes for each object that was
// garbage. The second lists, hears and judges everything anew, at least a
// settle time later, and removes what it finds to be garbage and the first
// condemned in the very same state. So no single lie, race or half-started
// runtime can remove anything.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/observe"
)

// Outcome is what became of an object.
type Outcome struct {
	Removed bool
	Kept    string // why garbage was not removed, where that is no error
	Err     error  // why removing it failed
}

// OnlyReported is why garbage of a kind that is not enforced was left.
const OnlyReported = "the kind is only reported (mode: report)"

// Sink is told what a pass saw and did.
type Sink interface {
	Hear(h hostgc.Hearing) error
	Decide(d hostgc.Decision, done Outcome) error
}

// Options are how one pass removes.
type Options struct {
	Modes  map[string]hostgc.Mode // by kind; a kind that is not in it is only reported
	DryRun bool
	Plan   *hostgc.Plan
	// Keep says why the operator wants an object kept, or nothing. It is asked
	// about every object, in the order in which they are judged, as one that is
	// not garbage may tell why another is to be kept. Nil keeps nothing.
	Keep func(o hostgc.Object) string
	Pace *Pace // nil: as fast as it can
	Log  *slog.Logger
}

// Pass looks at the node once. It removes what is garbage now and was
// condemned by an earlier pass (nil: by none, so nothing is removed), and
// gives what it found to be garbage and left in place, for the next pass.
func Pass(ctx context.Context, n *observe.Node, earlier *hostgc.Condemned, opts Options, sink Sink) (*hostgc.Condemned, error) {
	p := &pass{earlier: earlier, now: hostgc.NewCondemned(), opts: opts, sink: sink, removers: map[string]*safefs.Remover{},
		pause: func() error { return opts.Pace.pause(ctx) }}
	if earlier != nil {
		n = opts.Pace.slow(n)
	}
	err := n.Pass(ctx, p)
	return p.now, err
}

type pass struct {
	earlier, now *hostgc.Condemned
	opts         Options
	sink         Sink
	removers     map[string]*safefs.Remover // by directory
	pause        func() error               // before a removal
}

// Hear passes a hearing on.
func (p *pass) Hear(h hostgc.Hearing) error { return p.sink.Hear(h) }

// Decide removes an object where that is right, and passes on what was done.
func (p *pass) Decide(place *observe.Place, d hostgc.Decision) error {
	var done Outcome
	kept := p.kept(d.Object)
	if d.Verdict == hostgc.Garbage {
		if done = (Outcome{Kept: kept}); kept == "" {
			done = p.condemned(place, d)
		}
		if !done.Removed {
			p.now.Add(d.Object)
		}
	}
	return p.sink.Decide(d, done)
}

func (p *pass) kept(o hostgc.Object) string {
	if p.opts.Keep == nil {
		return ""
	}
	return p.opts.Keep(o)
}

func (p *pass) condemned(place *observe.Place, d hostgc.Decision) Outcome {
	switch mode := p.opts.Modes[place.Kind.Name]; {
	case mode != hostgc.ModeEnforce:
		return Outcome{Kept: OnlyReported}
	case p.earlier == nil || !p.earlier.Has(d.Object):
		return Outcome{Kept: "garbage once; it goes when a second look says so as well"}
	}
	if why, ok := p.opts.Plan.Admit(place.Kind.Name); !ok {
		return Outcome{Kept: why}
	}
	if p.opts.DryRun {
		return Outcome{Kept: "dry run"}
	}
	return p.remove(place, d.Object)
}

func (p *pass) remove(place *observe.Place, o hostgc.Object) Outcome {
	r, ok := p.removers[o.Dir]
	if !ok {
		var err error
		if r, err = place.Dir.Remover(place.Kind.Match); err != nil {
			return Outcome{Err: fmt.Errorf("removing %s: %w", o.Path(), err)}
		}
		p.removers[o.Dir] = r
	}
	if err := p.pause(); err != nil {
		return Outcome{Kept: "stopped before it was removed"}
	}
	switch err := r.Remove(o.Name, o.ID); {
	case err == nil:
		p.log(o)
		return Outcome{Removed: true}
	case errors.Is(err, safefs.ErrGone):
		return Outcome{Kept: "gone before it was removed"}
	case errors.Is(err, safefs.ErrChanged):
		return Outcome{Kept: err.Error()}
	default:
		p.opts.Log.Error("not removed", "kind", o.Kind, "path", o.Path(), "error", err)
		return Outcome{Err: err}
	}
}

// log names everything by which other leftovers of the same attachment can be
// found: iptables chains, veths and qdiscs carry these and nothing else.
func (p *pass) log(o hostgc.Object) {
	p.opts.Log.Info("removed", "kind", o.Kind, "path", o.Path(), "cause", o.Cause,
		"network", o.Owner.Network, "sandbox", o.Owner.Sandbox, "interface", o.Owner.Interface,
		"ips", strings.Join(o.Owner.IPs, ","), "pod", o.Owner.Namespace+"/"+o.Owner.Pod, "bytes", o.ID.Size)
}

// Waiter lets time pass, or gives the context's error.
type Waiter func(ctx context.Context, d time.Duration) error

// Twice makes both passes of one sweep, settle apart or as much longer as the
// node's runtimes need, and tells each to its sink. What the second is told is
// the result.
func Twice(ctx context.Context, n *observe.Node, settle time.Duration, wait Waiter, opts Options, first, second Sink) error {
	apart := &Apart{Sink: first, Settle: settle}
	condemned, err := Pass(ctx, n, nil, opts, apart)
	if err != nil {
		return fmt.Errorf("first pass: %w", err)
	}
	if condemned.Len() > 0 {
		if err := wait(ctx, apart.Least); err != nil {
			return fmt.Errorf("between the passes: %w", err)
		}
	}
	if _, err := Pass(ctx, n, condemned, opts, second); err != nil {
		return fmt.Errorf("second pass: %w", err)
	}
	return nil
}

// Apart finds how far apart the next look must be from the one that it is told
// of: as far as the most demanding of its hearings asks. A runtime that is mute
// at the last of them may have been the one that condemned, at an earlier one.
type Apart struct {
	Sink
	Settle time.Duration // as the operator asked
	Least  time.Duration
}

// Hear takes a hearing.
func (a *Apart) Hear(h hostgc.Hearing) error {
	a.Least = max(a.Least, h.Terms.Apart(a.Settle))
	return a.Sink.Hear(h)
}

// Ignore is a Sink for a pass whose report nobody needs.
type Ignore struct{}

// Hear ignores.
func (Ignore) Hear(hostgc.Hearing) error { return nil }

// Decide ignores.
func (Ignore) Decide(hostgc.Decision, Outcome) error { return nil }
