package plainjson

import (
	"encoding/binary"
	"math/bits"
)

// Skip reads any value.
func (s *Scanner) Skip() {
	switch s.peek() {
	case '{':
		for more := s.open('{'); more; more = s.more('}') {
			s.skipString()
			if s.take(':') {
				s.Skip()
			}
		}
	case '[':
		for more := s.open('['); more; more = s.more(']') {
			s.Skip()
		}
	case '"':
		s.skipString()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}

func (s *Scanner) word(w string) {
	if len(s.text)-s.at < len(w) || string(s.text[s.at:s.at+len(w)]) != w {
		s.lost = true
		return
	}
	s.at += len(w)
}

// number reads -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
func (s *Scanner) number() {
	if s.is('-') {
		s.at++
	}
	zero := s.is('0')
	if n := s.digits(); n == 0 || zero && n > 1 {
		s.lost = true
		return
	}
	if s.is('.') {
		s.at++
		s.lost = s.lost || s.digits() == 0
	}
	if s.is('e') || s.is('E') {
		s.at++
		if s.is('+') || s.is('-') {
			s.at++
		}
		s.lost = s.lost || s.digits() == 0
	}
}

func (s *Scanner) is(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

func (s *Scanner) digits() int {
	begin := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' < 10 {
		s.at++
	}
	return s.at - begin
}

// skipString reads a string with whatever is in it.
func (s *Scanner) skipString() {
	if !s.take('"') {
		return
	}
	for {
		s.at += plain(s.text[s.at:])
		switch {
		case s.at == len(s.text):
			s.lost = true
		case s.text[s.at] == '"':
			s.at++
			return
		case s.text[s.at] == '\\':
			s.escape()
		case s.text[s.at] < ' ':
			s.lost = true
		default:
			s.at++ // not ASCII; what is not UTF-8 encoding/json takes too
		}
		if s.lost {
			return
		}
	}
}

// escape reads a backslash and what it stands with.
func (s *Scanner) escape() {
	rest := s.text[s.at:]
	if len(rest) < 2 {
		s.lost = true
		return
	}
	switch rest[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at += 2
	case 'u':
		if len(rest) < 6 || !hex(rest[2:6]) {
			s.lost = true
			return
		}
		s.at += 6
	default:
		s.lost = true
	}
}

func hex(digits []byte) bool {
	for _, c := range digits {
		if c-'0' >= 10 && (c|0x20)-'a' >= 6 {
			return false
		}
	}
	return true
}

// plain counts the bytes of ASCII before the first quote, backslash or control
// character, eight at a time: most of a file is base64. In a word, a byte that
// is zero, or below 0x20, borrows from its high bit when 1, or 0x20, is taken
// from it.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		quote, slash := w^ones*'"', w^ones*'\\'
		found := (w | (quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
		if found != 0 {
			// A borrow can mark bytes after the first one, none before it.
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(b) && b[n] != '"' && b[n] != '\\' && b[n] >= ' ' && b[n] < 0x80 {
		n++
	}
	return n
}
