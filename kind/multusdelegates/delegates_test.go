package multusdelegates

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/torn"
)

func TestInspect(t *testing.T) {
	recorded, err := os.ReadFile("testdata/delegates.json") // Multus 4.2.3
	if err != nil {
		t.Fatal(err)
	}
	type seen struct{ Network, Flaw, Cause string }
	foreign := seen{Flaw: "not ours: it is JSON, but no array of Multus delegates"}
	panics := seen{Cause: hostgc.CauseMultusPanic}
	for content, want := range map[string]seen{
		string(recorded): {Network: "cbr0,net2"},
		`[{"ConfList":{"name":"a"},"Name":"ns/a"}]`:    {Network: "a"},
		`[{"Name":"ns/a"},{"Name":"ns/a"}]`:            {Network: "ns/a"},
		`[{"name":"a","type":"flannel"}]`:              {Network: "a"},
		`[{"type":"flannel"},{"Conf":{"type":"ptp"}}]`: {},
		`[{"Name":"a"}]` + "\x00\x00":                  {Network: "a"},
		"":                                             {},
		`[{"Name":`:                                    {},
		"null":                                         panics,
		"[]":                                           panics,
		"[null]":                                       panics,
		`[{"Name":"a"},null]`:                          panics,
		"{}":                                           foreign,
		"[7]":                                          foreign,
		"[{}]":                                         foreign,
		`[{"Name":"a"},{}]`:                            foreign,
		`[{"Conf":"a"}]`:                               foreign,
	} {
		o := hostgc.Object{Name: strings.Repeat("a", 64)}
		inspect(&o, []byte(content))
		if diff := cmp.Diff(want, seen{o.Owner.Network, o.Flaw, o.Cause}); diff != "" {
			t.Errorf("%q: want (-), got (+):\n%s", content, diff)
		}
		if (len(o.Holds) > 0) != (o.Cause == hostgc.CauseMultusPanic) || o.Owner.Sandbox != o.Name {
			t.Errorf("%q: holds %q, sandbox %q", content, o.Holds, o.Owner.Sandbox)
		}
	}
}

func TestKind(t *testing.T) {
	k := Kind([]string{"/d"})
	for content, want := range map[string]string{
		"": hostgc.CausePowerLoss, `[{"Name":"a"}]`: hostgc.CauseUnknownToCRI,
	} {
		if got := k.Cause(hostgc.Object{}, []byte(content), nil); got != want {
			t.Errorf("%q: cause %q, want %q", content, got, want)
		}
	}
}

// FuzzParse holds that a content is one of three things: damaged, foreign, or
// delegates that can be named without a panic of our own.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"null", "[]", "[null]", `[{"ConfList":{"name":"a"}}]`, `[{"Conf":{"type":"ptp"}`, "{}", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		o := hostgc.Object{Name: strings.Repeat("a", 64)}
		inspect(&o, content)
		ds, err := parse(content)
		foreign := err != nil && !torn.Damaged(err)
		held := err == nil && (len(ds) == 0 || slices.Contains(ds, nil))
		if (o.Flaw != "") != foreign || (len(o.Holds) > 0) != held {
			t.Errorf("%q: flaw %q, holds %q, %v", content, o.Flaw, o.Holds, err)
		}
	})
}
