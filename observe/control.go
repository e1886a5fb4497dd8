package observe

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hostgc/hostgc"
)

// control runs the positive control of a pass: for each directory it looks
// for one entry of a sandbox that is READY now. It stops at the first, so it
// costs next to nothing where the node is healthy, and one more listing of
// names where nothing in a directory is alive.
type control struct {
	node    *Node
	anchors map[string]string // by directory: the ready sandbox whose entry was found
	shared  map[string]bool   // sandboxes in the host's network
}

func (c *control) run(ctx context.Context, s summary) (map[string]hostgc.Control, error) {
	if c.anchors == nil {
		c.anchors = map[string]string{}
	}
	elsewhere := false
	for i := range c.node.Places {
		if err := c.anchor(ctx, &c.node.Places[i], s.ready); err != nil {
			return nil, err
		}
		elsewhere = elsewhere || c.anchors[c.node.Places[i].Dir.Path()] != ""
	}
	ready := len(s.ready)
	if ready > 0 && !elsewhere {
		ready = c.withoutHostNetwork(ctx, s.ready)
	}
	controls := map[string]hostgc.Control{}
	for i := range c.node.Places {
		dir := c.node.Places[i].Dir.Path()
		controls[dir] = hostgc.Control{
			Listed: s.listed, Ready: ready, Here: c.anchors[dir] != "", Elsewhere: elsewhere,
			Proof: s.proof, Override: c.node.AcceptIdle,
		}
	}
	return controls, nil
}

// anchor finds a ready sandbox with an entry in the place. What an earlier
// hearing of the pass found holds as long as that sandbox is ready; what it
// did not find is not looked for again: a directory is only ever judged in the
// narrower scope for it.
func (c *control) anchor(ctx context.Context, p *Place, ready map[string]struct{}) error {
	dir := p.Dir.Path()
	id, searched := c.anchors[dir]
	if _, ok := ready[id]; ok || searched && id == "" {
		return nil
	}
	c.anchors[dir] = ""
	if len(ready) == 0 {
		return nil
	}
	for e, err := range p.Dir.Entries(ctx) {
		if err != nil {
			return fmt.Errorf("looking for running sandboxes in %s: %w", dir, err)
		}
		owner, ok := p.Kind.Owner(e.Name)
		if _, up := ready[owner.Key]; ok && up {
			c.anchors[dir] = owner.Key
			return nil
		}
	}
	return nil
}

// withoutHostNetwork counts the ready sandboxes that have a network of their
// own, and so should have had an entry. One that cannot be asked counts: it
// narrows what is judged.
func (c *control) withoutHostNetwork(ctx context.Context, ready map[string]struct{}) int {
	if c.shared == nil {
		shared, err := c.node.HostNetwork(ctx, slices.Sorted(maps.Keys(ready)))
		if err != nil {
			c.node.Log.Warn("asking which sandboxes share the host's network", "error", err)
		}
		c.shared = shared
	}
	n := 0
	for id := range ready {
		if !c.shared[id] {
			n++
		}
	}
	return n
}
