package plainjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hostgc/hostgc/kind/plainjson"
)

// texts are JSON and nearly JSON; each is a seed of the fuzz test too.
var texts = map[string]bool{
	`{}`: true, `[]`: true, `null`: true, ` {"a" : [ 1 , -2.50e+3 , 0 , true , false ] } `: true,
	`"\"\\\/\b\f\n\r\t\u00e9 é"`: true, `{"a":{"b":[[],{}]},"a":1}`: true, "{}\x00\x00": true,
	``: false, `{`: false, `[1,]`: false, `{"a":1,}`: false, `{"a"}`: false, `{a:1}`: false, `01`: false, `1.`: false, `-`: false,
	`1e`: false, `.5`: false, `+1`: false, `tru`: false, `"\x"`: false, `"\u00g0"`: false, "\"\n\"": false, `"a`: false, `"\`: false, `"\u00`: false,
	`{} {}`: false, `[1 2]`: false, `{"a":1 "b":2}`: false, `]`: false, `[}`: false, "\x00{}": false,
}

func skip(text []byte) bool {
	s := plainjson.New(text)
	s.Skip()
	return s.Done()
}

func TestSkip(t *testing.T) {
	for text, want := range texts {
		if got := skip([]byte(text)); got != want {
			t.Errorf("%q: taken %t, want %t", text, got, want)
		}
	}
	if deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000); skip([]byte(deep)) {
		t.Error("a thousand brackets are gone into, and a million would be")
	}
}

// What is skipped is JSON: of other text a caller would believe the rest.
func FuzzSkip(f *testing.F) {
	for text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if trimmed := strings.TrimRight(string(text), "\x00"); skip(text) && !json.Valid([]byte(trimmed)) {
			t.Fatalf("%q is taken, and is no JSON", text)
		}
	})
}

// read reads {"a":TEXT,"b":[TEXT,...]} and gives what it saw.
func read(text string) (string, bool) {
	s := plainjson.New([]byte(text))
	var saw []string
	s.Object([]string{"a", "b"}, func(field int) {
		if field == 0 {
			saw = append(saw, "a="+string(s.Text()))
			return
		}
		s.Array(func() { saw = append(saw, "b="+string(s.Text())) })
	})
	return fmt.Sprint(saw), s.Done()
}

func TestObject(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"x","b":["y","z"]}`:     "[a=x b=y b=z]",
		`{"b":[],"a":""}`:             "[a=]",
		`{"a":"12345678, \u0061"}`:    "", // an escape
		`{"a":"12345678 é 12345678"}`: "", // no ASCII
		`{"a":null}`:                  "",
		`{"a":7}`:                     "",
		`{"A":"x"}`:                   "", // encoding/json would take it for a
		`{"c":"x"}`:                   "",
		`{"a":"x","a":"y"}`:           "",
		`{"a":"x"`:                    "",
		`["a"]`:                       "",
	} {
		got, ok := read(text)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %t; want %q", text, got, ok, want)
		}
	}
}
