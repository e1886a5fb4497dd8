package cniresults_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/cniresults"
)

var id = strings.Repeat("a", 64)

func entry(network, args string) string {
	return fmt.Sprintf(`{"kind":"cniCacheV1","containerId":"%s","networkName":"%s","ifName":"eth0","cniArgs":[%s]}`, id, network, args)
}

func TestInspectAndCause(t *testing.T) {
	const (
		bare = `{"ips":[]}`
		pod  = `["K8S_POD_NAMESPACE","shop"],["K8S_POD_NAME","web"]`
	)
	infra := `["K8S_POD_INFRA_CONTAINER_ID","` + id + `"],`
	for _, c := range []struct{ network, content, flaw, cause string }{
		{"cbr0", entry("cbr0", infra+pod), "", hostgc.CauseUnknownToCRI},
		{"cbr1", entry("cbr1", infra+pod), "", hostgc.CauseUnknownToCRI},
		{"cbr0", entry("cbr0", pod), "not made by Kubernetes: it has no", ""},
		{"cbr0", entry("cbr1", infra+pod), "its networkName is", ""},
		{"cbr0", entry("cbr0", infra+`["K8S_POD_NAMESPACE","db"],["K8S_POD_NAME","db"]`), "as podman writes it", ""},
		{"cbr0", entry("cbr0", infra+`["K8S_POD_UID","u"],["K8S_POD_NAMESPACE","db"],["K8S_POD_NAME","db"]`), "", hostgc.CauseUnknownToCRI},
		{"cbr0", "", "", hostgc.CausePowerLoss},
		{"cni-loopback", "\x00", "", hostgc.CausePowerLoss},
		{"cbr1", "", `the file is empty, and network "cbr1" is not known`, ""},
		{"cbr0", bare, "", hostgc.CauseUnknownToCRI},
		{"cbr1", bare, `it names no owner, and network "cbr1" is not known`, ""},
		{"cbr0", "[]", "no CNI cache entry", ""},
	} {
		k := cniresults.Kind([]string{"/d"}, []string{"cbr0"})
		o := hostgc.Object{Name: c.network + "-" + id + "-eth0"}
		k.Inspect(&o, []byte(c.content))
		if !strings.Contains(o.Flaw, c.flaw) || c.flaw == "" && o.Flaw != "" {
			t.Errorf("network %s, %q: flaw %q, want %q", c.network, c.content, o.Flaw, c.flaw)
		}
		if o.Owner.Sandbox != id || o.Owner.Network != c.network {
			t.Errorf("network %s, %q: owner %+v", c.network, c.content, o.Owner)
		}
		if c.flaw != "" {
			continue // it is no garbage, so nobody asks for a cause
		}
		if cause := k.Cause(o, []byte(c.content), nil); cause != c.cause {
			t.Errorf("network %s, %q: cause %q, want %q", c.network, c.content, cause, c.cause)
		}
	}
}

// FuzzInspect holds that in the shared directory nothing of an unknown network
// passes without the runtime's own word that it is this sandbox's.
func FuzzInspect(f *testing.F) {
	f.Add([]byte(entry("other", `["K8S_POD_INFRA_CONTAINER_ID","`+id+`"],["K8S_POD_UID","u"]`)))
	f.Add([]byte(`{"ips":[]}`))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, content []byte) {
		o := hostgc.Object{Name: "other-" + id + "-eth0"}
		cniresults.Kind(nil, nil).Inspect(&o, content)
		if o.Flaw == "" && strings.Count(string(content), id) < 2 && !strings.Contains(string(content), `\u`) {
			t.Errorf("%q passes for a pod's", content)
		}
	})
}
