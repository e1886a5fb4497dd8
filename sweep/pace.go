package sweep

import (
	"context"
	"time"

	"github.com/hostgc/hostgc/observe"
)

// Pace keeps removals apart, so that a million of them do not fill the journal
// of a file system on which etcd waits for its fsync.
type Pace struct {
	Rate int // removals in a second; 0: as many as it can
	Now  func() time.Time
	Wait Waiter

	next time.Time // when the next removal is due
}

// grain is the shortest wait. Timers are not finer than some 0.1 ms, so at a
// high rate the removals of a millisecond come at once.
const grain = time.Millisecond

// pause waits until the next removal is due. Time in which nothing was removed
// is not made up for by a burst.
func (p *Pace) pause(ctx context.Context) error {
	if p == nil || p.Rate == 0 {
		return nil
	}
	now := p.Now()
	if ahead := p.next.Sub(now); ahead >= grain {
		if err := p.Wait(ctx, ahead); err != nil {
			return err
		}
	}
	if p.next.Before(now) {
		p.next = now
	}
	p.next = p.next.Add(time.Second / time.Duration(p.Rate))
	return nil
}

// The batches of a slow pass are what a minute removes, for a hearing is no
// basis for what is removed long after it. They are not so small that there is
// a hearing for every handful of files, nor so slow, even at one a second, that
// the agent seems dead.
const (
	maxHeard = 60 // seconds
	minBatch = 500
)

// slow gives the node with batches that suit the pace.
func (p *Pace) slow(n *observe.Node) *observe.Node {
	if p == nil || p.Rate == 0 {
		return n
	}
	slow := *n
	slow.BatchSize = min(n.Batch(), max(p.Rate*maxHeard, minBatch))
	return &slow
}
