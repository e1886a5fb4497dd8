package k3sdata

import (
	"strings"
	"testing"
)

func TestKind(t *testing.T) {
	k := Kind(DefaultDir)
	hex := strings.Repeat("0a", 32)
	for name, want := range map[string]bool{
		hex: true, hex + "-tmp": true, hex + "-tmp2": false, hex[1:]: false, hex + "0": false, "A" + hex[1:]: false,
		"current": false, "previous": false, "cni": false, ".lock": false, "": false, "v1.34.1-rke2r1-8522b4227a96": false,
	} {
		if _, owned := k.Owner(name); k.Match(name) != want || owned != want {
			t.Errorf("%q may be removed: %v", name, k.Match(name))
		}
	}
	if k.Name != Name || k.Dirs[0] != "/var/lib/rancher/k3s/data" || k.Mode != "report" {
		t.Errorf("%+v", k)
	}
}

func FuzzNames(f *testing.F) {
	f.Add(strings.Repeat("0a", 32) + "-tmp")
	f.Fuzz(func(t *testing.T, name string) {
		if p := Product(); p.Match(name) && (len(name) < 64 || strings.ContainsAny(name, "/.\x00\n") || p.Version(name).Known()) {
			t.Errorf("%q may be removed", name)
		}
	})
}
