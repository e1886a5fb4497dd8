package hostlocal

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// conf is a CNI configuration, a list of them, or one of Multus' delegates, as
// far as it tells of host-local.
type conf struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	SubnetFile string `json:"subnetFile"` // flannel's
	IPAM       ipam   `json:"ipam"`
	Plugins    []conf `json:"plugins"`
	Delegates  []conf `json:"delegates"`
}

type ipam struct {
	Type    string      `json:"type"`
	DataDir string      `json:"dataDir"`
	Ranges  [][]ipRange `json:"ranges"`
	ipRange             // the form before CNI 0.4.0
}

type ipRange struct {
	Subnet     string `json:"subnet"`
	RangeStart string `json:"rangeStart"`
	RangeEnd   string `json:"rangeEnd"`
	Gateway    string `json:"gateway"`
}

// maxConf is more than any configuration has.
const maxConf = 1 << 20

func networks(root fs.FS, confDirs []string) []network {
	var found []network
	for _, dir := range confDirs {
		dir = strings.TrimPrefix(dir, "/")
		entries, _ := fs.ReadDir(root, dir) // it may be gone by now
		for _, e := range entries {
			if !slices.Contains([]string{".conf", ".conflist", ".json"}, path.Ext(e.Name())) {
				continue
			}
			var c conf
			if b := read(root, path.Join(dir, e.Name())); json.Unmarshal(b, &c) == nil {
				found = c.networks(root, "", found)
			}
		}
	}
	return found
}

func read(root fs.FS, file string) []byte {
	if info, err := fs.Stat(root, file); err != nil || !info.Mode().IsRegular() || info.Size() > maxConf {
		return nil
	}
	b, _ := fs.ReadFile(root, file)
	return b
}

// networks finds host-local at any depth. A plugin of a list has the list's
// name.
func (c conf) networks(root fs.FS, name string, found []network) []network {
	if c.Name != "" {
		name = c.Name
	}
	n := network{name: name, dataDir: c.IPAM.DataDir}
	switch {
	case c.IPAM.Type == "host-local":
		n.sets = c.IPAM.sets()
	case c.Type == "flannel":
		n.sets = flannel(root, c.SubnetFile)
	}
	if name != "" && len(n.sets) > 0 {
		found = append(found, n)
	}
	for _, p := range c.Plugins {
		found = p.networks(root, name, found)
	}
	for _, d := range c.Delegates {
		found = d.networks(root, "", found)
	}
	return found
}

func (i ipam) sets() [][]span {
	ranges := i.Ranges
	if i.Subnet != "" {
		ranges = append([][]ipRange{{i.ipRange}}, ranges...)
	}
	var sets [][]span
	for _, set := range ranges {
		var spans []span
		for _, r := range set {
			if s, ok := newSpan(r); ok {
				spans = append(spans, s)
			}
		}
		sets = append(sets, spans)
	}
	return sets
}

// flannel gives the node's subnets, which flannel's daemon writes as
// FLANNEL_SUBNET and FLANNEL_IPV6_SUBNET, with the bridge's address in place of
// the network's.
func flannel(root fs.FS, file string) [][]span {
	if file == "" {
		file = "/run/flannel/subnet.env"
	}
	var sets [][]span
	for line := range strings.Lines(string(read(root, strings.TrimPrefix(file, "/")))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if key != "FLANNEL_SUBNET" && key != "FLANNEL_IPV6_SUBNET" {
			continue
		}
		if s, ok := newSpan(ipRange{Subnet: value}); ok {
			sets = append(sets, []span{s})
		}
	}
	return sets
}
