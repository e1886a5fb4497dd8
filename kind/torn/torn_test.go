package torn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/hostgc/hostgc/kind/torn"
)

func TestDecode(t *testing.T) {
	const other = torn.Damage("another shape")
	for content, want := range map[string]torn.Damage{
		"":                          torn.Empty,
		" \n":                       torn.Empty,
		"\x00":                      torn.Zeroed,
		"\x00\x00\n":                torn.Zeroed,
		"{\"a\":\x00\x00}":          torn.Zeroed,
		"\x00{}":                    torn.Zeroed,
		"{":                         torn.Truncated,
		"{\"a\":\"b":                torn.Truncated,
		"{\"a\":1\x00\x00":          torn.Truncated,
		"{\"a\":1}}":                torn.Scrambled,
		"hello":                     torn.Scrambled,
		"{'a':1}":                   torn.Scrambled,
		"{}":                        "",
		"{\"a\":1}\n":               "",
		"{\"a\":1}\x00\x00\x00\x00": "",
		"null":                      "",
		"[]":                        other,
		"7":                         other,
	} {
		var into map[string]any
		err := torn.Decode([]byte(content), &into)
		var got torn.Damage
		switch damage, ok := errors.AsType[torn.Damage](err); {
		case ok:
			got = damage
		case err != nil:
			got = other
		}
		if got != want {
			t.Errorf("Decode(%q): %v, want %q", content, err, want)
		}
		if torn.Damaged(err) != (want != "" && want != other) {
			t.Errorf("Damaged of the error of Decode(%q) is %v", content, torn.Damaged(err))
		}
	}
}

func TestDamagedSeesWrapped(t *testing.T) {
	if err := fmt.Errorf("reading: %w", torn.Empty); !torn.Damaged(err) || err.Error() != "reading: the file is empty" {
		t.Errorf("%v is not seen as damage", err)
	}
}

// FuzzDecode holds that every beginning of a JSON object is damage: half of a
// torn file must never pass for another's.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"kind":"cniCacheV1","cniArgs":[["a","b"]],"n":1.5e3,"t":true}`), 20)
	f.Add([]byte(`{"a":"\u00e9\\"}`), 9)
	f.Fuzz(func(t *testing.T, content []byte, cut int) {
		var object map[string]json.RawMessage
		if torn.Decode(content, &object) != nil || object == nil || cut < 0 || cut >= len(content) {
			return
		}
		var v map[string]json.RawMessage
		if err := torn.Decode(content[:cut], &v); err != nil && !torn.Damaged(err) {
			t.Errorf("Decode(%q): %v is no damage", content[:cut], err)
		}
	})
}
