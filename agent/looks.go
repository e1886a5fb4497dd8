package agent

import (
	"time"

	"github.com/hostgc/hostgc"
)

// looks are the earlier passes by which a cycle may confirm. With a CRI-O two
// passes must be an hour apart, and the agent looks every ten minutes. Two are
// kept, so that memory is bounded: the one that is old enough, and one that is
// ageing to take its place. So an object waits at most twice as long.
type looks struct {
	old    *hostgc.Condemned
	ageing *hostgc.Condemned
	timer  *time.Timer // ageing is old enough; by the monotonic clock, as no clock that is set may shorten it
}

// ripe gives what a pass that starts now may confirm; nil: nothing.
func (l *looks) ripe() *hostgc.Condemned {
	if l.ageing == nil {
		return l.old
	}
	select {
	case <-l.timer.C:
		l.old, l.ageing = l.ageing, nil
	default:
	}
	return l.old
}

// add takes the pass that was just made.
func (l *looks) add(r Result) {
	if l.ageing == nil {
		l.ageing, l.timer = r.Condemned, time.NewTimer(r.Apart)
	}
}

// forget drops all: after a pass that failed the next starts from nothing.
func (l *looks) forget() { *l = looks{} }
