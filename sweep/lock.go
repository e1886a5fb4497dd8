package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostgc/hostgc/internal/safefs"
	"github.com/hostgc/hostgc/observe"
)

// Lock keeps other hostgc processes on the node, in whatever container or
// unit, from sweeping the same directories. It locks the directories
// themselves: they are the same inodes for everybody, are there whenever there
// is something to sweep, and a lock on them needs no free inode and leaves
// nothing behind.
func Lock(ctx context.Context, n *observe.Node) (unlock func(), err error) {
	var held []func()
	unlock = func() {
		for _, u := range slices.Backward(held) {
			u()
		}
	}
	for _, p := range n.Places {
		u, err := p.Dir.Lock(ctx)
		if err != nil {
			unlock()
			if held := (*safefs.HeldError)(nil); errors.As(err, &held) {
				return nil, fmt.Errorf("another hostgc is at work on this node: %w", err)
			}
			return nil, err
		}
		held = append(held, u)
	}
	return unlock, nil
}
