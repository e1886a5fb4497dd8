package kind_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind"
)

// Bench.Spare rests on it: a name that names an owner is one that Match allows.
func TestOwnerOnlyOfMatchingNames(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	before := rapid.SampledFrom([]string{"", "", "cbr0-", "a.b_c-d-", "-", ".", "_-", "a b-", id + "-", "G"})
	middle := rapid.SampledFrom([]string{id, id, id, id[1:], id + "0", "G" + id[1:]})
	after := rapid.SampledFrom([]string{"", "", "-eth0", "-eth0.100", "-a-b", "-", "-.", "-..", "-a b", "-a:b", "-sixteencharacter", "-" + id})
	owned := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		name := before.Draw(t, "before") + middle.Draw(t, "middle") + after.Draw(t, "after")
		for _, k := range kind.All(discover.Layout{}) {
			_, ours := k.Owner(name)
			owned[k.Name] = owned[k.Name] || ours
			if ours && !k.Match(name) {
				t.Fatalf("%s: %q has an owner and does not match", k.Name, name)
			}
		}
	})
	for _, k := range kind.All(discover.Layout{}) {
		if !owned[k.Name] {
			t.Errorf("%s: no name of its shape was drawn", k.Name)
		}
	}
}
