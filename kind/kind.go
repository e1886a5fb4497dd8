// Package kind lists the kinds of host state that hostgc knows: one line a
// kind, one package a kind. A kind is a value that names objects and explains
// them; it opens nothing and removes nothing.
package kind

import (
	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind/cniresults"
	"github.com/hostgc/hostgc/kind/flanneldelegates"
	"github.com/hostgc/hostgc/kind/multusdelegates"
	"github.com/hostgc/hostgc/kind/multusresults"
)

// All gives every kind for a node's layout, in the order in which they are to
// be scanned. Results come before delegates: only they name the network
// namespace of a sandbox, by which a process keeps its other files too.
func All(l discover.Layout) []hostgc.Kind {
	return []hostgc.Kind{
		cniresults.Kind(l.CNIResults, l.Networks),
		multusresults.Kind(l.MultusResults),
		multusdelegates.Kind(l.MultusDirs),
		flanneldelegates.Kind(l.FlannelDirs),
	}
}
