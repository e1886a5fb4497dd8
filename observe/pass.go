package observe

import (
	"context"
	"fmt"
	"iter"

	"github.com/hostgc/hostgc"
)

// Visitor is shown what a pass sees, in order: each hearing before the
// decisions that rest on it. An error ends the pass.
type Visitor interface {
	Hear(h hostgc.Hearing) error
	Decide(p *Place, d hostgc.Decision) error
}

// entry is a listed name and where it was found.
type entry struct {
	place *Place
	name  string
	ino   uint64
	typ   uint8 // as the directory tells it: unix.DT_REG and so on
}

// Pass looks at every object of the node once.
func (n *Node) Pass(ctx context.Context, v Visitor) error {
	control := &control{node: n}
	var bench *hostgc.Bench
	for batch, err := range n.batches(ctx) {
		if err != nil {
			return err
		}
		h, err := n.hear(ctx, control)
		if err != nil {
			return err
		}
		bench = h.Bench(bench)
		if err := v.Hear(h); err != nil {
			return err
		}
		if err := newTrial(h, bench).batch(ctx, batch, v); err != nil {
			return err
		}
	}
	if bench != nil {
		return nil
	}
	h, err := n.hear(ctx, control)
	if err != nil {
		return err
	}
	return v.Hear(h)
}

// batches lists all places and gives their entries in batches that may span
// places: a node has a dozen small directories more often than a huge one.
func (n *Node) batches(ctx context.Context) iter.Seq2[[]entry, error] {
	return func(yield func([]entry, error) bool) {
		var batch []entry
		for i := range n.Places {
			p := &n.Places[i]
			for e, err := range p.Dir.Entries(ctx) {
				if err != nil {
					yield(nil, fmt.Errorf("listing %s: %w", p.Dir.Path(), err))
					return
				}
				batch = append(batch, entry{p, e.Name, e.Ino, e.Type})
				if len(batch) < n.Batch() {
					continue
				}
				if !yield(batch, nil) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
