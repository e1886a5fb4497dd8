package flanneldelegates

import (
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
)

func TestInspect(t *testing.T) {
	foreign := "not ours: it is JSON, but no configuration of a CNI plugin"
	for content, want := range map[string]struct{ network, flaw string }{
		`{"bridge":"cni0","ipam":{"type":"host-local"},"name":"cbr0","type":"bridge"}`: {network: "cbr0"},
		`{"type":"bridge"}`:          {},
		`{"type":"bridge"}` + "\x00": {},
		"":                           {},
		"\x00\x00":                   {},
		`{"name":"cbr0","ty`:         {},
		"null":                       {flaw: foreign},
		"{}":                         {flaw: foreign},
		`{"name":"cbr0"}`:            {flaw: foreign},
		`{"type":["bridge"]}`:        {flaw: foreign},
		`[{"type":"bridge"}]`:        {flaw: foreign},
	} {
		o := hostgc.Object{Name: strings.Repeat("a", 64)}
		inspect(&o, []byte(content))
		if o.Flaw != want.flaw || o.Owner.Network != want.network || o.Owner.Sandbox != o.Name {
			t.Errorf("%q: flaw %q, owner %+v; want %+v", content, o.Flaw, o.Owner, want)
		}
	}
}

func TestKind(t *testing.T) {
	k := Kind([]string{"/d"})
	for content, want := range map[string]string{
		"": hostgc.CausePowerLoss, `{"type":"bridge"}`: hostgc.CauseUnknownToCRI,
	} {
		if got := k.Cause(hostgc.Object{}, []byte(content), nil); got != want {
			t.Errorf("%q: cause %q, want %q", content, got, want)
		}
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte(`{"name":"cbr0","type":"bridge"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, content []byte) {
		o := hostgc.Object{Name: strings.Repeat("a", 64)}
		inspect(&o, content)
		if o.Flaw != "" && o.Owner.Network != "" {
			t.Errorf("%q: foreign, and yet of network %q", content, o.Owner.Network)
		}
	})
}
