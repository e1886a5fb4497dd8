// Package hostlocal tells how many addresses are free in the ranges of a
// node's host-local networks, without taking the plugin's lock or changing
// anything: it counts the files that reserve an address,
// /var/lib/cni/networks/<network>/<address>.
//
// The ranges stand in the CNI configurations, and flannel's in the environment
// file that its daemon writes. Networks whose configuration is elsewhere, as
// in a NetworkAttachmentDefinition, are not known here.
package hostlocal

import (
	"cmp"
	"io/fs"
	"net/netip"
	"path"
	"strings"

	"github.com/hostgc/hostgc/agent"
)

// Levels gives for each network of the configurations in confDirs (absolute
// paths below root) how many addresses are free. Of a network with ranges for
// both IP versions it is the one with the smaller share free, as a pod needs an
// address of each. What cannot be read or understood is left out.
func Levels(root fs.FS, confDirs []string) []agent.Level {
	var levels []agent.Level
	seen := map[string]bool{}
	for _, n := range networks(root, confDirs) {
		dir := path.Join(cmp.Or(n.dataDir, "/var/lib/cni/networks"), n.name)
		if l, ok := n.level(addresses(root, dir)); ok && !seen[dir] {
			seen[dir] = true
			levels = append(levels, l)
		}
	}
	return levels
}

// network is what a configuration says of one. An address is taken from each
// of its sets.
type network struct {
	name, dataDir string
	sets          [][]span
}

func (n network) level(used []netip.Addr) (agent.Level, bool) {
	var scarcest agent.Level
	for _, set := range n.sets {
		l := agent.Level{Resource: agent.IPs, Place: n.name}
		for _, s := range set {
			l.Total += s.size()
		}
		taken := uint64(0)
		for _, a := range used {
			if within(a, set) {
				taken++
			}
		}
		l.Free = l.Total - min(taken, l.Total)
		if scarcest.Total == 0 || float64(l.Free)/float64(l.Total) < float64(scarcest.Free)/float64(scarcest.Total) {
			scarcest = l
		}
	}
	return scarcest, scarcest.Total > 0
}

func within(a netip.Addr, set []span) bool {
	for _, s := range set {
		if s.from.Compare(a) <= 0 && a.Compare(s.to) <= 0 {
			return true
		}
	}
	return false
}

// addresses gives those that are reserved. Beside them lie lock and
// last_reserved_ip.N, which are none.
func addresses(root fs.FS, dir string) []netip.Addr {
	entries, _ := fs.ReadDir(root, strings.TrimPrefix(dir, "/")) // a network that is not used yet has no directory
	var used []netip.Addr
	for _, e := range entries {
		if a, err := netip.ParseAddr(e.Name()); err == nil {
			used = append(used, a)
		}
	}
	return used
}
