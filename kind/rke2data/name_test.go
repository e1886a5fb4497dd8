package rke2data

import (
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
)

func TestNames(t *testing.T) {
	hex := strings.Repeat("0a", 32)
	for name, want := range map[string]struct {
		match   bool
		version string
	}{
		"v1.34.1-rke2r1-8522b4227a96":         {true, "v1.34.1-rke2r1"},
		"v1.34.3-dev.95ef867a-2f53bcfe21c2":   {true, "v1.34.3-dev.95ef867a"},
		"v1.34.1-rc1-rke2r1-8522b4227a96":     {true, "v1.34.1-rc1-rke2r1"},
		"v1.34.01-rke2r1-8522b4227a96":        {true, ""}, // no version, so it is held
		hex:                                   {true, ""},
		"v1.34.1-rke2r1-8522b4227a9":          {false, ""},
		"v1.34.1-rke2r1-8522b4227a96.bak":     {false, ""},
		"v1.34.1-rke2r1-8522b4227a96-old":     {false, ""},
		".hostgc-v1.34.1-rke2r1-8522b4227a96": {false, ""},
		"v1.34.1-rke2r1-8522B4227A96":         {false, ""},
		"v1.34-rke2r1-8522b4227a96":           {false, ""},
		"v1.34.1/../..-8522b4227a96":          {false, ""},
		hex + "0":                             {false, ""},
		hex + "-tmp":                          {false, ""},
		"current":                             {false, ""},
		"":                                    {false, ""},
		"v1.34.1-rke2r1-8522b4227a96\nx":      {false, ""},
	} {
		p := Product()
		if got := p.Match(name); got != want.match {
			t.Errorf("%q may be removed: %v", name, got)
		}
		if got := p.Version(name).String(); got != want.version {
			t.Errorf("version of %q is %q, want %q", name, got, want.version)
		}
	}
}

func TestKind(t *testing.T) {
	k := Kind("/data/rke2")
	ref, ok := k.Owner("v1.34.1-rke2r1-8522b4227a96")
	if !ok || ref.String() != "tree//data/rke2/data/v1.34.1-rke2r1-8522b4227a96" {
		t.Errorf("%v %v", ref, ok)
	}
	if _, ok := k.Owner("current"); ok || k.Name != Name || k.Dirs[0] != "/data/rke2/data" || k.Mode != "report" {
		t.Errorf("%+v", k)
	}
	k.Inspect(nil, nil)
	if c := k.Cause(hostgc.Object{}, nil, nil); c != "" {
		t.Error(c)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("v1.34.1-rke2r1-8522b4227a96")
	f.Add("v1.34.1-rke2r1-8522b4227a96.bak")
	f.Fuzz(func(t *testing.T, name string) {
		p := Product()
		if p.Match(name) && (strings.ContainsAny(name, "/\x00\n ") || strings.HasPrefix(name, ".") || name == "") {
			t.Errorf("%q may be removed", name)
		}
		if v := p.Version(name); v.Known() && !strings.HasPrefix(name, v.String()) {
			t.Errorf("%q has version %q", name, v)
		}
	})
}
