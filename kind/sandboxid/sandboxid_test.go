package sandboxid_test

import (
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/sandboxid"
)

func TestOwner(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	for name, want := range map[string]bool{
		id:                         true,
		strings.Repeat("f", 64):    true,
		"":                         false,
		id[:63]:                    false,
		id + "0":                   false,
		strings.ToUpper(id):        false,
		id[:63] + "g":              false,
		id[:63] + "/":              false,
		id[:63] + ":":              false,
		id[:63] + "`":              false,
		"\n" + id[:63]:             false,
		"results":                  false,
		strings.Repeat("é", 32):    false,
		strings.Repeat(" ", 64):    false,
		id[:32] + "-" + id[:31]:    false,
		strings.Repeat("\x00", 64): false,
	} {
		ref, ok := sandboxid.Owner(name)
		if ok != want || sandboxid.Valid(name) != want {
			t.Errorf("%q: owner %v, valid %v, want %v", name, ok, sandboxid.Valid(name), want)
		}
		if ok && ref != (hostgc.Ref{Space: hostgc.SpaceSandbox, Key: name}) {
			t.Errorf("%q: owner is %v", name, ref)
		}
	}
}
