package cnicache_test

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/cnicache"
	"github.com/hostgc/hostgc/kind/torn"
)

// recorded reads an entry from a real node: containerd 2.4.2, Multus 4.2.3.
func recorded(t testing.TB, file string) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestParseRecorded(t *testing.T) {
	const id = "0701e4536d83a4792c3234cf6a2c92a68903ee3d9f68507ed1a3b69120a979ce"
	pod := cnicache.Entry{
		ContainerID: id, InfraID: id,
		Namespace: "default", Pod: "web-865c994fd4-2fcvp", PodUID: "92233f71-092e-400e-8575-103e98310e45",
		Netns: []string{"/run/netns/cni-1023eaa3-9721-25ef-a239-7e3a9ac9913e"},
	}
	multus, containerd, loopback := pod, pod, pod
	multus.Network, multus.IfName = "net2", "net1"
	multus.IPs = []string{"10.99.0.3"}
	containerd.Network, containerd.IfName = "multus-cni-network", "eth0"
	containerd.IPs = []string{"10.42.0.3"}
	loopback.Network, loopback.IfName = "cni-loopback", "lo"
	loopback.IPs = []string{"127.0.0.1", "::1"}

	for file, want := range map[string]cnicache.Entry{
		"multus.json": multus, "containerd.json": containerd, "loopback.json": loopback,
	} {
		got, err := cnicache.Parse(recorded(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", file, diff)
		}
		if text := got.Disagreement(cnicache.Name{Network: want.Network, Sandbox: id, IfName: want.IfName}); text != "" {
			t.Errorf("%s disagrees: %s", file, text)
		}
	}
}

func TestConfigOf(t *testing.T) {
	known := func(version string, list bool) cnicache.Config {
		return cnicache.Config{Known: true, Version: version, List: list}
	}
	for content, want := range map[string]cnicache.Config{
		string(recorded(t, "multus.json")):                                                 known("1.0.0", false),
		string(recorded(t, "containerd.json")):                                             known("1.0.0", true),
		string(recorded(t, "loopback.json")):                                               known("0.3.1", true),
		`{"config":"` + base64.StdEncoding.EncodeToString([]byte(`{"plugins":[]}`)) + `"}`: known("", true),
		`{"config":null}`: {}, `{"config":7}`: {}, `{"config":"e"}`: {}, `{}`: {}, ``: {},
	} {
		if got := cnicache.ConfigOf([]byte(content)); got != want {
			t.Errorf("%.40s: %+v, want %+v", content, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for content, want := range map[string]cnicache.Entry{
		`{"kind":"cniCacheV1"}`: {},
		`{"kind":"cniCacheV1","cniArgs":null,"result":null,"config":null,"netns":""}`:                            {},
		`{"kind":"cniCacheV1","cniArgs":[["K8S_POD_NAME"],[],["K8S_POD_UID","u","x"]]}`:                          {},
		`{"kind":"cniCacheV1","cniArgs":[["K8S_POD_UID",""],["K8S_POD_UID","u"],["K8S_POD_UID",""]]}`:            {PodUID: "u"},
		`{"kind":"cniCacheV1","cniArgs":[["IgnoreUnknown","1"],["IgnoreUnknown","true"]]}`:                       {},
		`{"kind":"cniCacheV1","cniArgs":[["K8S_POD_NAME","a"],["K8S_POD_NAME","b"]]}`:                            {Pod: "a", Clash: `K8S_POD_NAME stands in it twice, as "a" and as "b"`},
		`{"kind":"cniCacheV1","config":"!"}`:                                                                     {},
		`{"kind":"cniCacheV1","config":{"cniVersion":"0.3.1"}}`:                                                  {},
		`{"kind":"cniCacheV1","netns":"/var/run/netns/../netns/x"}`:                                              {Netns: []string{"/run/netns/x"}},
		`{"kind":"cniCacheV1","netns":"/proc/7/ns/net","result":{"interfaces":[{"sandbox":"/run/netns/y"},{}]}}`: {Netns: []string{"/proc/7/ns/net", "/run/netns/y"}},
		`{"kind":"cniCacheV1","netns":"netns/x"}`:                                                                {},
		`{"kind":"cniCacheV1","result":{"ips":"none"}}`:                                                          {},
		`{"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.2/8"},"ip6":{"ip":"fd00::2/64"}}`:                             {Bare: true, IPs: []string{"10.0.0.2", "fd00::2"}},
		`{"ips":[{"address":"10.0.0.2/8"},{"address":""}]}` + "\x00\x00":                                         {Bare: true, IPs: []string{"10.0.0.2"}},
		`{"interfaces":[{"sandbox":"/var/run/netns/z"}]}`:                                                        {Bare: true, Netns: []string{"/run/netns/z"}},
	} {
		got, err := cnicache.Parse([]byte(content))
		if err != nil {
			t.Errorf("Parse(%q): %v", content, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%q): want (-), got (+):\n%s", content, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for content, damaged := range map[string]bool{
		"": true, "\x00\x00": true, "{": true, "x": true, `{"kind":"cniCacheV1"`: true,
		"null": false, "{}": false, "[]": false, `"text"`: false, "7": false,
		`{"kind":7}`: false, `{"kind":"cniCacheV2"}`: false, `{"cniVersion":"0.3.1"}`: false,
		`{"kind":"cniCacheV1","containerId":[]}`: false, `{"kind":"cniCacheV1","cniArgs":{}}`: false,
		`{"kind":"cniCacheV1","cniArgs":[[1,2]]}`: false, `{"kind":"cniCacheV1","netns":false}`: false,
	} {
		got, err := cnicache.Parse([]byte(content))
		if err == nil || torn.Damaged(err) != damaged {
			t.Errorf("Parse(%q) = %+v, %v; want damage: %v", content, got, err, damaged)
		}
	}
}

func TestBelow040(t *testing.T) {
	for version, want := range map[string]bool{
		"": true, "0.1.0": true, "0.2.0": true, "0.3.0": true, "0.3.1": true,
		"0.4.0": false, "0.10.0": false, "1.0.0": false, "1.3.0": false, "10.3.0": false,
		"0": false, "0.": false, "x": false, "0.x": false, "-0.3.1": false,
	} {
		if got := (cnicache.Config{Known: true, Version: version}).Below040(); got != want {
			t.Errorf("%q below 0.4.0: %v, want %v", version, got, want)
		}
	}
	if (cnicache.Config{Version: "0.3.1"}).Below040() {
		t.Error("a configuration that is not known is taken to be below 0.4.0")
	}
}

func TestDisagreement(t *testing.T) {
	name := cnicache.Name{Network: "cbr0", Sandbox: idA, IfName: "eth0"}
	whole := cnicache.Entry{ContainerID: idA, Network: "cbr0", IfName: "eth0", InfraID: idA}
	for field, change := range map[string]func(*cnicache.Entry){
		"containerId":                func(e *cnicache.Entry) { e.ContainerID = idB },
		"networkName":                func(e *cnicache.Entry) { e.Network = "" },
		"ifName":                     func(e *cnicache.Entry) { e.IfName = "eth1" },
		"K8S_POD_INFRA_CONTAINER_ID": func(e *cnicache.Entry) { e.InfraID = idB },
		"K8S_POD_NAME":               func(e *cnicache.Entry) { e.Clash = "K8S_POD_NAME stands in it twice" },
	} {
		e := whole
		change(&e)
		if text := e.Disagreement(name); !strings.Contains(text, field) {
			t.Errorf("entry with another %s: %q", field, text)
		}
	}
	noArgs := whole
	noArgs.InfraID = ""
	for _, e := range []cnicache.Entry{whole, noArgs, {Bare: true}} {
		if text := e.Disagreement(name); text != "" {
			t.Errorf("%+v: %s", e, text)
		}
	}
}

func TestFill(t *testing.T) {
	sandbox := hostgc.Ref{Space: hostgc.SpaceSandbox, Key: idA}
	o := hostgc.Object{Refs: []hostgc.Ref{sandbox}}
	cnicache.Entry{
		Namespace: "shop", Pod: "web", PodUID: "u", Netns: []string{"/run/netns/x", "/run/netns/y"}, IPs: []string{"10.0.0.2"},
	}.Fill(&o, cnicache.Name{Network: "cbr0", Sandbox: idA, IfName: "eth0"})
	want := hostgc.Object{
		Refs: []hostgc.Ref{sandbox,
			{Space: hostgc.SpaceNetns, Key: "/run/netns/x"}, {Space: hostgc.SpaceNetns, Key: "/run/netns/y"},
			{Space: hostgc.SpacePod, Key: "u"}},
		Owner: hostgc.Owner{
			Sandbox: idA, Network: "cbr0", Interface: "eth0",
			Namespace: "shop", Pod: "web", PodUID: "u", Netns: "/run/netns/x", IPs: []string{"10.0.0.2"},
		},
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// FuzzParse holds that no content passes for an entry of a sandbox that it does
// not name, and that half of an entry is always seen to be damaged.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"multus.json", "containerd.json", "loopback.json"} {
		f.Add(recorded(f, file))
	}
	f.Add([]byte(`{"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.2/8"}}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := cnicache.Parse(content)
		if err != nil {
			return
		}
		name := cnicache.Name{Network: "cbr0", Sandbox: idA, IfName: "eth0"}
		agrees := e.ContainerID == idA && e.Network == "cbr0" && e.IfName == "eth0" &&
			e.Clash == "" && (e.InfraID == "" || e.InfraID == idA)
		if text := e.Disagreement(name); (text == "") != (e.Bare || agrees) {
			t.Errorf("%+v: disagreement is %q", e, text)
		}
		for _, n := range e.Netns {
			if !strings.HasPrefix(n, "/") || strings.HasPrefix(n, "/var/run/") {
				t.Errorf("network namespace %q is not normalised", n)
			}
		}
	})
}
