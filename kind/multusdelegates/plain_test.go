package multusdelegates

import (
	"os"
	"testing"
)

// What plain accepts, parse reads alike, and it is no trap for Multus.
func FuzzPlain(f *testing.F) {
	content, err := os.ReadFile("testdata/delegates.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	for _, content := range []string{
		`[]`, `[null]`, `[{"Name":"a"},{"Name":"a"}]`, `[{"Name":"a,b"}]`, `[{"name":"a","Name":"b"}]`,
		`[{"Conf":{"name":"a","type":7}}]`, `[{"Conf":{"name":"a"},"ConfList":{"name":"b"},"Name":"c"}]`,
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		networks, ok := plain(content)
		if !ok {
			return
		}
		ds, err := parse(content)
		if err != nil || ds.empty() {
			t.Fatalf("plain accepts what parse gives %v for, empty: %t", err, ds.empty())
		}
		if got := ds.networks(); got != networks {
			t.Fatalf("plain: %q, parse: %q", networks, got)
		}
	})
}

func TestPlain(t *testing.T) {
	content, err := os.ReadFile("testdata/delegates.json")
	if err != nil {
		t.Fatal(err)
	}
	if networks, ok := plain(content); !ok || networks == "" {
		t.Errorf("a real file is left to encoding/json")
	}
}
