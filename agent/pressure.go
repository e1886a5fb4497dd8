package agent

import (
	"fmt"
	"strings"
)

// Resource is what can become scarce.
type Resource string

// The resources that are watched.
const (
	Inodes Resource = "inodes"
	Bytes  Resource = "bytes"
	IPs    Resource = "IPs"
)

// Level is how much of a resource is free in one place.
type Level struct {
	Resource    Resource
	Place       string // a directory on the file system, or a network's name
	Free, Total uint64 // a total of 0: the place does not count the resource
}

func (l Level) below(percent uint64) bool { return l.Free*100 < l.Total*percent }

// Pressure finds out when something becomes scarce.
type Pressure struct {
	low map[string]bool // by resource and place
}

// recovered is how many percent more than the threshold must be free before a
// place is no longer scarce: around the threshold it would begin anew with each
// file that comes and goes.
const recovered = 2

// Update takes the levels and the percentages below which something is scarce
// (0: never). It gives in words why a cycle should start early: where something
// has become scarce, and, while it is, where the latest cycle removed
// something, for then the next may as well.
func (p *Pressure) Update(levels []Level, percent map[Resource]int, removed bool) string {
	low := map[string]bool{}
	var why []string
	for _, l := range levels {
		key, threshold := string(l.Resource)+" "+l.Place, uint64(percent[l.Resource]) // #nosec G115 -- checked to be 0 to 90
		was := p.low[key]
		if was {
			threshold += recovered
		}
		if percent[l.Resource] == 0 || !l.below(threshold) {
			continue
		}
		low[key] = true
		if !was || removed {
			why = append(why, fmt.Sprintf("%d of %d %s are free in %s", l.Free, l.Total, l.Resource, l.Place))
		}
	}
	p.low = low
	return strings.Join(why, "; ")
}
