package agent

import (
	"strings"
	"testing"
)

func TestPressure(t *testing.T) {
	type step struct {
		free    uint64
		removed bool
		starts  bool
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"enough", []step{{100, false, false}, {11, true, false}, {10, true, false}}},
		{"falls below once", []step{{10, false, false}, {9, false, true}, {9, false, false}, {0, false, false}}},
		{"from the start", []step{{5, false, true}, {5, false, false}}},
		{"around the threshold", []step{{9, false, true}, {10, false, false}, {9, false, false}, {11, false, false}, {9, false, false}}},
		{"recovers and falls again", []step{{9, false, true}, {12, false, false}, {9, false, true}}},
		{"goes on while that helps", []step{{9, false, true}, {9, true, true}, {10, true, true}, {11, false, false}, {11, true, true}, {12, true, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Pressure
			for i, s := range c.steps {
				why := p.Update([]Level{{Inodes, "/var", s.free, 100}}, map[Resource]int{Inodes: 10}, s.removed)
				if (why != "") != s.starts {
					t.Errorf("step %d, %d free: %q", i, s.free, why)
				}
			}
		})
	}
}

// Each place and resource by itself; what is not counted or turned off is none.
func TestPressureOfWhat(t *testing.T) {
	var p Pressure
	percent := map[Resource]int{Inodes: 10, Bytes: 0, IPs: 50}
	levels := []Level{{Inodes, "/var", 5, 100}, {Inodes, "/btrfs", 0, 0}, {Bytes, "/var", 0, 100}, {IPs, "cbr0", 49, 100}, {IPs, "net1", 50, 100}}
	why := p.Update(levels, percent, false)
	if why != "5 of 100 inodes are free in /var; 49 of 100 IPs are free in cbr0" {
		t.Errorf("%q", why)
	}
	levels[4].Free = 40
	if why := p.Update(levels, percent, false); !strings.Contains(why, "net1") || strings.Contains(why, "cbr0") {
		t.Errorf("%q", why)
	}
	p.Update(nil, percent, false) // the places are gone
	if len(p.low) != 0 {
		t.Errorf("%v is kept", p.low)
	}
}
