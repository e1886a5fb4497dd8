package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc"
)

var kinds = []string{"multus-results", "cni-results"}

func TestParse(t *testing.T) {
	c, err := Parse([]byte(`
node: worker-1
cri: [unix:///run/crio/crio.sock]
minAge: 3h
interval: 1h
maxRate: 500
keep: [default/web-*, macvlan, /var/lib/cni/results]
windows: [{days: [Sat, Sun], from: 22:00, to: 06:00, zone: Europe/Berlin}]
pressure: {freeInodes: 20}
stateDir: ""
listen: ":9617"
events: false
kinds:
  multus-results: {mode: report, dirs: [/data/cni/results], minAge: 90m, max: 500}
`), kinds)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Node, want.CRI = "worker-1", []string{"unix:///run/crio/crio.sock"}
	want.MinAge, want.Interval, want.MaxRate = Duration(3*time.Hour), Duration(time.Hour), 500
	want.Keep = []string{"default/web-*", "macvlan", "/var/lib/cni/results"}
	want.Windows = []Window{{Days: []string{"Sat", "Sun"}, From: "22:00", To: "06:00", Zone: "Europe/Berlin"}}
	want.Pressure.FreeInodes = 20
	want.StateDir, want.Listen, want.Events = "", ":9617", false
	want.Kinds = map[string]Kind{"multus-results": {Mode: hostgc.ModeReport, Dirs: []string{"/data/cni/results"}, MinAge: Duration(90 * time.Minute), Max: 500}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	b, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(b, kinds)
	if diff := cmp.Diff(c, again); err != nil || diff != "" {
		t.Errorf("written and read again: %v %s", err, diff)
	}
}

// YAML 1.1 reads a bare off as a boolean.
func TestBareOff(t *testing.T) {
	c, err := Parse([]byte("kinds: {cni-results: {mode: off}}"), kinds)
	if err != nil || c.Kinds["cni-results"].Mode != hostgc.ModeOff {
		t.Errorf("%v, %+v", err, c.Kinds)
	}
}

func TestEmptyIsTheDefault(t *testing.T) {
	c, err := Parse(nil, kinds)
	if diff := cmp.Diff(Default(), c); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Each mistake is named by its key, and says what to do.
func TestMistakes(t *testing.T) {
	for in, says := range map[string]string{
		"kind: {}":                                    `unknown field "kind"`,
		"kinds: {multus-results: {mod: report}}":      `unknown field "mod"`,
		"node: a\nnode: b":                            `key "node" already set`,
		"minAge: 2":                                   `2 is not a duration: write it with its unit`,
		"minAge: soon":                                `"soon" is not a duration`,
		"minAge: 10m":                                 "minAge: 10m0s is less than 1h0m0s",
		"settle: -1s":                                 "settle: must not be negative",
		"jitter: -1s":                                 "jitter: must not be negative",
		"maxRate: -1":                                 "maxRate: must not be negative",
		"interval: 0s":                                "interval: must be more than zero",
		"kinds: {pods: {}}":                           "kinds.pods: no such kind; there are multus-results, cni-results",
		"kinds: {cni-results: {mode: remove}}":        `kinds.cni-results.mode: "remove" is not off, report or enforce`,
		"kinds: {cni-results: {minAge: 5m}}":          "kinds.cni-results.minAge: 5m0s is less",
		"kinds: {cni-results: {max: -1}}":             "kinds.cni-results.max: must not be negative",
		"kinds: {cni-results: {retain: -1}}":          "kinds.cni-results.retain: must not be negative",
		"kinds: {cni-results: {dirs: [var/lib/cni]}}": `kinds.cni-results.dirs: "var/lib/cni" is not`,
		"kinds: {cni-results: {dirs: [/a/../etc/x]}}": `"/a/../etc/x" is not`,
		"kinds: {cni-results: {dirs: [/etc]}}":        `"/etc" is not`,
		`keep: [""]`:                                  `keep[0]: "" keeps nothing: it is empty`,
		"keep: [/]":                                   `"/" keeps nothing`,
		"keep: [a, 'b[']":                             `keep[1]: "b[" keeps nothing: a bracket`,
		"keep: [/var/lib/]":                           `"/var/lib/" keeps nothing: it is a path with`,
		"keep: [/a/../b]":                             `"/a/../b" keeps nothing`,
		"keep: [a/b/c]":                               `"a/b/c" keeps nothing: it is neither`,
		"keep: net1":                                  "not a valid configuration",
		"windows: [{days: [Sunday]}]":                 `windows[0]: days: "Sunday" is not one of Sun, Mon`,
		"windows: [{}, {from: 9}]":                    `windows[1]: from: "9" is not a time of day`,
		"windows: [{}, {from: '9 pm'}]":               `windows[1]: from: "9 pm" is not a time of day as in "22:00"`,
		"windows: [{to: '24:01'}]":                    `windows[0]: to: "24:01" is not a time of day`,
		"windows: [{from: 06:00, to: 06:00}]":         "it begins and ends at 06:00",
		"windows: [{zone: Mars/Olympus}]":             `zone: "Mars/Olympus" is not the name`,
		"windows: [{zone: Local}]":                    `zone: "Local" is not the name`,
		"windows: [{day: [Sat]}]":                     `unknown field "day"`,
		"pressure: {freeInodes: 91}":                  "pressure.freeInodes: 91 is not a percentage",
		"pressure: {freeBytes: -1}":                   "pressure.freeBytes: -1 is not",
		"pressure: {freeIPs: 100}":                    "pressure.freeIPs: 100 is not",
		"stateDir: state":                             `stateDir: "state" is not an absolute path`,
		"listen: '9617'":                              `listen: "9617" is not an address`,
		"events: 'no'":                                "not a valid configuration",
		"[":                                           "not a valid configuration",
	} {
		if _, err := Parse([]byte(in), kinds); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want it to say %q", in, err, says)
		}
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostgc.yaml")
	if _, err := Load(file, kinds); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(file, []byte("nod: x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, kinds); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a wrong file: %v", err)
	}
	if err := os.WriteFile(file, []byte("node: x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(file, kinds); err != nil || c.Node != "x" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestSet(t *testing.T) {
	var c Config
	c.SetMode("cni-results", hostgc.ModeOff)
	c.SetDirs("cni-results", []string{"/a/b"})
	want := map[string]Kind{"cni-results": {Mode: hostgc.ModeOff, Dirs: []string{"/a/b"}}}
	if diff := cmp.Diff(want, c.Kinds); diff != "" {
		t.Error(diff)
	}
}
