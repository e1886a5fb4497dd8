package hostgc

import "fmt"

// Control is the positive control of one directory: before the absence of a
// sandbox means anything, the runtime's list must be shown to be this node's,
// and this directory to be one that its sandboxes use. An empty, partial,
// filtered or foreign list looks just like a node full of garbage.
type Control struct {
	Listed    int    `json:"listed"`             // sandboxes listed, in any state
	Ready     int    `json:"ready"`              // of these, READY and not known to share the host's network
	Here      bool   `json:"here"`               // one of the ready ones has an entry in this directory
	Elsewhere bool   `json:"elsewhere"`          // one of the ready ones has an entry in any directory below the same root
	Proof     string `json:"proof,omitempty"`    // how else the list was shown to be this node's
	Override  bool   `json:"override,omitempty"` // the operator vouches for the list of an idle node
}

// Scope is how far a positive control reaches.
type Scope int

// The scopes, in order of reach.
const (
	ScopeNone Scope = iota // nothing may be called garbage
	ScopeOld               // only what is older than the boot or the runtime's start
	ScopeAll
)

// Scope gives what may be judged in the directory, and why no more.
//
// A drained node, and a node in the very outage that hostgc is to end, have no
// ready sandbox with a network of its own. There the list is accepted where
// Proof says how else it was shown to be this node's, or the operator vouches
// for it.
func (c Control) Scope() (Scope, string) {
	switch {
	case c.Ready > 0 && c.Here:
		return ScopeAll, ""
	case c.Ready > 0 && !c.Elsewhere:
		return ScopeNone, fmt.Sprintf("positive control failed: none of the %d running sandboxes that the runtime lists has an entry on this disk; this is the wrong root, or another node's or runtime's list", c.Ready)
	case c.Override:
		return ScopeAll, ""
	case c.Ready > 0:
		return ScopeOld, fmt.Sprintf("none of the %d running sandboxes has an entry in this directory, so only what is older than the boot or the runtime's start is judged here", c.Ready)
	case c.Listed == 0:
		return ScopeNone, "positive control failed: the runtime lists no sandbox at all; if this node really runs no pod, say so with --accept-idle-node"
	case c.Proof == "":
		return ScopeNone, fmt.Sprintf("positive control failed: of the %d sandboxes that the runtime lists none is running with a network of its own, and nothing else shows that the list is this node's; if it is, say so with --accept-idle-node", c.Listed)
	default:
		return ScopeOld, "no sandbox is running with a network of its own, so only what is older than the boot or the runtime's start is judged; the list is this node's: " + c.Proof
	}
}
