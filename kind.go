package hostgc

import "time"

// Mode says what may be done with a kind's garbage.
type Mode string

// The modes of a kind.
const (
	ModeOff     Mode = "off"     // not looked at
	ModeReport  Mode = "report"  // counted and explained, never removed
	ModeEnforce Mode = "enforce" // removed
)

// Kind describes a kind of host state that leaks. It is a value: it names,
// and has no power to delete.
//
// Objects are judged in two steps, because a directory may hold a million of
// them: Owner sees the name alone, and only where the owner is not alive is
// the file opened and shown to Inspect.
type Kind struct {
	Name  string   // "multus-results"
	Doc   string   // one sentence for people
	Names string   // the shape of the names that Match allows, for people
	Dirs  []string // host paths whose direct entries are the objects

	Mode Mode          // the mode where nothing is configured
	Age  time.Duration // the minimum age where nothing is configured

	// Match reports whether a name is one that may ever be removed. Owner and
	// Inspect explain; Match alone gives the remover its bounds.
	Match func(name string) bool

	// Owner gives what the name alone tells: who must be absent for the
	// object to be garbage. It reports false for a foreign name, and at least for
	// those that Match does not allow.
	Owner func(name string) (Ref, bool)

	// Inspect adds what the content tells: more references, holds, a flaw,
	// the owner in words. It is called from several goroutines, and keeps nothing
	// of the content, whose memory is used again.
	Inspect func(o *Object, content []byte)

	// EmptyBlocks: an empty object of this kind makes every CNI DEL of a sandbox
	// that is still listed fail, which is worth a word.
	EmptyBlocks bool

	// Cause tells from the shape of what is left what made it leak. It is
	// asked only of garbage. Beside reports whether a path relative to the
	// object's directory exists.
	Cause func(o Object, content []byte, beside func(rel string) bool) string
}
