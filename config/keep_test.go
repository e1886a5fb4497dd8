package config

import (
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
)

func object(name, sandbox, network, namespace, pod string) hostgc.Object {
	return hostgc.Object{Dir: "/var/lib/cni/results", Name: name,
		Owner: hostgc.Owner{Sandbox: sandbox, Network: network, Namespace: namespace, Pod: pod}}
}

func TestKeep(t *testing.T) {
	o := object("net1-abc-eth0", "abc", "net1", "default", "web-0")
	for _, c := range []struct {
		pattern string
		keeps   bool
	}{
		{"/var/lib/cni/results/net1-abc-eth0", true},
		{"/var/lib/cni/results/net1-*", true},
		{"/var/lib/cni/results", true}, // what is below it
		{"/var/lib/*", true},
		{"/var/lib/cni/res", false}, // a part of a name is none
		{"/var/lib/cni/results/net2-*", false},
		{"net1", true},
		{"net?", true},
		{"net", false},
		{"default/web-0", true},
		{"default/*", true},
		{"*/web-*", true},
		{"kube-system/*", false},
		{"web-0", false}, // a pod is named with its namespace
	} {
		why := Config{Keep: []string{"other", c.pattern}}.Keeper().Keep(o)
		if (why != "") != c.keeps {
			t.Errorf("%s: %q", c.pattern, why)
		}
		if c.keeps && !strings.Contains(why, c.pattern) {
			t.Errorf("%s is not named by %q", c.pattern, why)
		}
	}
}

func TestNothingIsKeptByNothing(t *testing.T) {
	if why := (Config{}).Keeper().Keep(object("a", "a", "a", "a", "a")); why != "" {
		t.Error(why)
	}
	// Nor does a pattern match what an object does not tell.
	k := Config{Keep: []string{"*", "*/*"}}.Keeper()
	if why := k.Keep(object("a", "", "", "", "")); why != "" {
		t.Error(why)
	}
}

// A delegates file tells neither pod nor, when torn, network.
func TestKeepsTheSandboxOfWhatIsKept(t *testing.T) {
	k := Config{Keep: []string{"default/web-*"}}.Keeper()
	delegates := object("abc", "abc", "", "", "")
	if why := k.Keep(delegates); why != "" {
		t.Errorf("kept before anything of its sandbox: %s", why)
	}
	k.Keep(object("net1-abc-eth0", "abc", "net1", "default", "web-0"))
	if why := k.Keep(delegates); !strings.Contains(why, `"default/web-*", which keeps another file of its sandbox`) {
		t.Errorf("%q", why)
	}
	if why := k.Keep(object("def", "def", "", "", "")); why != "" {
		t.Errorf("another sandbox is kept: %s", why)
	}
	// A path is just what it names.
	k = Config{Keep: []string{"/var/lib/cni/results/net1-*"}}.Keeper()
	k.Keep(object("net1-abc-eth0", "abc", "net1", "default", "web-0"))
	if why := k.Keep(delegates); why != "" {
		t.Error(why)
	}
	// One without a sandbox that is kept must not keep all others without one.
	k = Config{Keep: []string{"net1"}}.Keeper()
	k.Keep(object("x", "", "net1", "", ""))
	if why := k.Keep(object("y", "", "", "", "")); why != "" {
		t.Error(why)
	}
}

// A delegates file tells all its networks.
func TestKeepByAnyNetwork(t *testing.T) {
	k := Config{Keep: []string{"macvlan-*"}}.Keeper()
	if k.Keep(object("abc", "abc", "cbr0,macvlan-a", "", "")) == "" {
		t.Error("not kept by its second network")
	}
	if why := k.Keep(object("def", "def", "cbr0,vlan", "", "")); why != "" {
		t.Error(why)
	}
}
