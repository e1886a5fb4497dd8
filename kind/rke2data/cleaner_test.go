package rke2data

import (
	"strings"
	"testing"
)

func TestCleaner(t *testing.T) {
	for version, want := range map[string]string{
		"v1.32.13+rke2r1": "", "v1.33.10+rke2r3": "",
		"v1.33.11+rke2r1": "v1.33.13+rke2r2", "v1.33.12+rke2r1": "v1.33.13+rke2r2", "v1.33.13+rke2r1": "v1.33.13+rke2r2",
		"v1.33.13+rke2r2": "", "v1.33.14+rke2r1": "",
		"v1.34.6+rke2r3": "", "v1.34.7+rke2r1": "v1.34.10+rke2r1", "v1.34.9+rke2r2": "v1.34.10+rke2r1", "v1.34.10+rke2r1": "",
		"v1.35.3+rke2r3": "", "v1.35.4+rke2r1": "v1.35.7+rke2r1", "v1.35.6-rke2r1": "v1.35.7+rke2r1", "v1.35.7+rke2r1": "",
		"v1.35.9+rke2r1": "", "v1.36.0+rke2r1": "v1.36.3+rke2r1", "v1.36.2+rke2r1": "v1.36.3+rke2r1", "v1.36.3+rke2r1": "",
		"v1.37.0+rke2r1": "", "": "", "1.34.8": "", "v1.34": "",
	} {
		broken, advice := Cleaner(version)
		if broken != (want != "") || want != "" && !strings.Contains(advice, "Upgrade to "+want+" ") {
			t.Errorf("%q: broken %v, %q; fixed in %q", version, broken, advice, want)
		}
	}
}
