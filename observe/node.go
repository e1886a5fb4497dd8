// Package observe lists the objects of a node and then hears its witnesses, in
// this order: a sandbox that was born after the listing is not in it, and one
// that was born before is heard of. The other way round, a newborn sandbox's
// file would be listed and its owner not.
//
// It works in batches, so that memory is bounded on a node with a million
// stale files, and opens a file only where its name does not settle the case.
package observe

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/safefs"
)

// Place is a directory that exists on the node and the kind of its entries.
type Place struct {
	Kind hostgc.Kind
	Dir  *safefs.Dir
	// Location is where Dir lies in its file system, in the form of the keys of
	// hostgc.SpaceMount. Empty: not known, and mounts made on its entries in
	// other mount namespaces are not seen.
	Location string
}

// Node is what observe needs to know and to ask of a node.
type Node struct {
	Name   string
	Now    func() time.Time
	Places []Place // those whose entries name network namespaces first: see hostgc.Bench.Learn

	// Witnesses are asked at each hearing.
	Witnesses []hostgc.Witness
	// Pods is asked only where /proc does not show the host's processes: then
	// a running pod's UID is the one local reason to keep what the runtime does
	// not list. Nil: not configured.
	Pods *hostgc.Witness
	// PodsNeeded: without /proc and without Pods nothing newer than the boot
	// is judged. False for a disk that is not running, where nothing is born.
	PodsNeeded bool

	// Terms gives the times, asked after the witnesses.
	Terms func() (hostgc.Terms, error)
	// HostNetwork tells which of the sandboxes share the host's network, and so
	// have no CNI state. It is asked only where no ready sandbox has an entry.
	HostNetwork func(ctx context.Context, sandboxes []string) (map[string]bool, error)
	// Containers gives the IDs of all containers that the runtime listed.
	Containers func() []string
	// Self gives IDs found in hostgc's own cgroup: its sandbox or container
	// where it runs in a pod.
	Self []string
	// Sees reports whether the runtime's own process is in the /proc that the
	// proc witness reads, so that it is the host's.
	Sees func() bool

	AcceptIdle bool // the operator vouches for a list without a running sandbox
	BatchSize  int  // objects listed before each hearing; 0: DefaultBatch
	Log        *slog.Logger
}

// DefaultBatch bounds memory (some 5 MB of names) and the age of a hearing,
// and keeps the load on the runtime and the API server independent of the
// number of files.
const DefaultBatch = 32_768

// Batch is the number of objects listed before each hearing.
func (n *Node) Batch() int {
	if n.BatchSize > 0 {
		return n.BatchSize
	}
	return DefaultBatch
}

// Place finds the place of a directory.
func (n *Node) Place(dir string) (*Place, bool) {
	i := slices.IndexFunc(n.Places, func(p Place) bool { return p.Dir.Path() == dir })
	if i < 0 {
		return nil, false
	}
	return &n.Places[i], true
}
