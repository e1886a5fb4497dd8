package agent

import (
	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// Of counts objects by kind and verdict.
type Of struct {
	Kind    string
	Verdict hostgc.Verdict
}

// Leak counts garbage by what made it leak.
type Leak struct{ Kind, Cause, Network string }

// Count counts what a cycle sees and does, and passes it on. It is a
// sweep.Sink whose size does not grow with the number of objects.
type Count struct {
	Next   sweep.Sink
	Before *hostgc.Condemned // garbage that the cycle before left; nil: not known, and nothing is counted as new

	Objects  map[Of]int
	New      map[string]int // by kind: garbage that the cycle before did not see
	Refused  map[string]int // by rule: objects of which nothing can be said
	Mute     map[string]int // by witness: hearings in which it gave no answer
	Leaks    map[Leak]int
	Removed  map[string]int // by kind
	Failed   map[string]int // by kind: removals that failed
	Bytes    int64          // that the removals freed
	Causes   map[string]int // of what was removed
	networks map[string]bool
}

// NewCount starts counting for one cycle.
func NewCount(before *hostgc.Condemned, next sweep.Sink) *Count {
	return &Count{Next: next, Before: before,
		Objects: map[Of]int{}, New: map[string]int{}, Refused: map[string]int{}, Mute: map[string]int{},
		Leaks: map[Leak]int{}, Removed: map[string]int{}, Failed: map[string]int{}, Causes: map[string]int{},
		networks: map[string]bool{}}
}

// Hear counts the witnesses that were mute.
func (c *Count) Hear(h hostgc.Hearing) error {
	for _, t := range h.Testimonies {
		if t.Mute() {
			c.Mute[t.Witness]++
		}
	}
	return c.Next.Hear(h)
}

// Decide counts a decision and what was done.
func (c *Count) Decide(d hostgc.Decision, done sweep.Outcome) error {
	kind := d.Object.Kind
	c.Objects[Of{kind, d.Verdict}]++
	switch d.Verdict {
	case hostgc.Unknown:
		c.Refused[d.Rule()]++
	case hostgc.Garbage:
		c.garbage(d.Object, done)
	}
	return c.Next.Decide(d, done)
}

func (c *Count) garbage(o hostgc.Object, done sweep.Outcome) {
	if c.Before != nil && !c.Before.Has(o) {
		c.New[o.Kind]++
	}
	c.Leaks[Leak{o.Kind, o.Cause, c.network(o.Owner.Network)}]++
	switch {
	case done.Removed:
		c.Removed[o.Kind]++
		c.Causes[o.Cause]++
		c.Bytes += o.ID.Alloc
	case done.Err != nil:
		c.Failed[o.Kind]++
	}
}

// Networks are named by files, so that their number has no bound of its own.
const (
	maxNetworks  = 10
	OtherNetwork = "other" // stands for the networks beyond the first ten
)

func (c *Count) network(name string) string {
	if !c.networks[name] && len(c.networks) == maxNetworks {
		return OtherNetwork
	}
	c.networks[name] = true
	return name
}
