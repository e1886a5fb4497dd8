// Package plainjson reads JSON as programs write it: objects of known fields,
// and strings without escapes. It does so in one pass over the bytes and
// allocates nothing, which is some forty times faster than encoding/json, and a
// collector reads a million files.
//
// It understands less on purpose. Whatever is out of the ordinary, a field that
// it was not told of or that stands twice, an escape in a string that is asked
// for, a null, a value of another type, and all that is no JSON, makes it give
// up, and the caller turns to encoding/json. So what it accepts, it reads as
// encoding/json would; fuzzing its callers holds it to that.
package plainjson

import "bytes"

// Scanner reads one text. Once it gave up, its methods do nothing.
type Scanner struct {
	text  []byte
	at    int
	depth int
	lost  bool
}

// maxDepth is deeper than any file of a CNI plugin.
const maxDepth = 64

// New gives a scanner of a text. NUL bytes at its end are let pass, as by
// torn.Decode.
func New(text []byte) Scanner { return Scanner{text: bytes.TrimRight(text, "\x00")} }

// Done reports whether the whole text was read and the scanner never gave up.
func (s *Scanner) Done() bool {
	s.peek()
	return !s.lost && s.at == len(s.text)
}

// GiveUp leaves the text to encoding/json.
func (s *Scanner) GiveUp() { s.lost = true }

// Object reads an object that has these fields and no others, each at most
// once, in any order. For each it calls value with the field's index; value has
// to read what is there, by one call.
func (s *Scanner) Object(fields []string, value func(field int)) {
	var seen uint64
	next := 0
	for more := s.open('{'); more; more = s.more('}') {
		key := s.Text()
		if next = find(fields, next, key); next < 0 || seen&(1<<next) != 0 || !s.take(':') {
			s.lost = true
			return
		}
		seen |= 1 << next
		value(next)
		next++
	}
}

// find looks for a key from an index on, because writers keep to an order.
func find(fields []string, from int, key []byte) int {
	for i := range fields {
		if at := (from + i) % len(fields); fields[at] == string(key) {
			return at
		}
	}
	return -1
}

// Array reads an array. For each of its elements it calls element, which has
// to read it by one call.
func (s *Scanner) Array(element func()) {
	for more := s.open('['); more; more = s.more(']') {
		element()
	}
}

// Text reads a string of ASCII without escapes. The result is a part
// of the text.
func (s *Scanner) Text() []byte {
	if !s.take('"') {
		return nil
	}
	text := s.text[s.at:]
	n := plain(text)
	if n == len(text) || text[n] != '"' {
		s.lost = true
		return nil
	}
	s.at += n + 1
	return text[:n]
}

// peek gives the next character of the syntax, or 0.
func (s *Scanner) peek() byte {
	for ; s.at < len(s.text) && !s.lost; s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take reads one character of the syntax.
func (s *Scanner) take(c byte) bool {
	if s.peek() != c {
		s.lost = true
		return false
	}
	s.at++
	return true
}

// open begins an object or array, and reports whether there is something in it.
func (s *Scanner) open(c byte) bool {
	if !s.take(c) {
		return false
	}
	if s.depth++; s.depth > maxDepth {
		s.lost = true
		return false
	}
	return !s.end(c + 2) // in ASCII, { and [ are two before } and ]
}

// more goes on after a value, and reports whether another one follows.
func (s *Scanner) more(end byte) bool {
	if s.peek() == ',' {
		s.at++
		return true
	}
	if !s.end(end) {
		s.lost = true
	}
	return false
}

func (s *Scanner) end(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	s.depth--
	return true
}
