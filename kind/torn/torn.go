// Package torn decodes JSON that was written in place.
//
// libcni, Multus and flannel write their files without a temporary name and
// without fsync. So a crash or a power cut leaves a file of the right name with
// nothing in it, with half of its text, or with NUL bytes where the file system
// had given it blocks and no data yet. Such a file is damaged, and its name is
// all that it tells; a file that decodes to something else is another's.
package torn

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Damage is the error of a content that is no JSON. Its text says how the
// content is damaged.
type Damage string

// The ways in which a content is damaged.
const (
	Empty     Damage = "the file is empty"
	Zeroed    Damage = "the file holds NUL bytes in place of its text"
	Truncated Damage = "the file ends in the middle of its text"
	Scrambled Damage = "the file holds no JSON"
)

// Error makes a Damage an error.
func (d Damage) Error() string { return string(d) }

// Damaged reports whether an error of Decode is a Damage.
func Damaged(err error) bool {
	_, ok := errors.AsType[Damage](err)
	return ok
}

// Decode decodes one JSON value into v. NUL bytes after it are let pass: a
// file whose size reached the disk before its last block did ends in them.
//
// The error is a Damage where the content is no JSON, and any other where it
// is JSON of another shape than v's.
func Decode(content []byte, v any) error {
	text := bytes.TrimSpace(bytes.TrimRight(content, "\x00"))
	err := json.Unmarshal(text, v)
	if _, ok := errors.AsType[*json.SyntaxError](err); !ok {
		return err
	}
	switch {
	case len(bytes.TrimSpace(content)) == 0:
		return Empty
	case len(text) == 0 || bytes.IndexByte(text, 0) >= 0:
		return Zeroed
	case endsEarly(text):
		return Truncated
	}
	return Scrambled
}

// endsEarly reports whether the text is the beginning of a JSON value.
func endsEarly(text []byte) bool {
	err := json.NewDecoder(bytes.NewReader(text)).Decode(new(json.RawMessage))
	return errors.Is(err, io.ErrUnexpectedEOF)
}
