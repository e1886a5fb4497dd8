package observe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/fakenode"
	"github.com/hostgc/hostgc/observe"
)

// Files are read ahead by several workers into memory that is used again. Each
// object has its own content all the same, be it larger than that memory, and
// each place's objects come in the order of their inodes.
func TestEachObjectHasItsContent(t *testing.T) {
	f := fakenode.New(t)
	f.Dir("b")
	f.Listed["up"] = hostgc.StateReady
	f.Inspect = func(o *hostgc.Object, content []byte) { o.Owner.Pod = strings.Clone(string(content)) }
	want := map[string]string{}
	for i := range 1000 {
		name := fmt.Sprintf("%c/gone.%d", 'a'+i%2, i)
		text := name
		if i%97 == 0 {
			text += strings.Repeat("x", 100<<10*(1+i%4))
		}
		want["/"+name] = text
		if err := os.WriteFile(filepath.Join(f.Root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.Write("a/up.1", "b/up.1")
	s := &ordered{}
	if err := f.Pass(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, o := range s.objects {
		if o.Owner.Pod != want[o.Path()] {
			t.Errorf("%s has %d bytes of content, want %d, or another's", o.Path(), len(o.Owner.Pod), len(want[o.Path()]))
		}
		delete(want, o.Path())
	}
	if len(want) > 0 {
		t.Errorf("%d objects were left out", len(want))
	}
	for i, o := range s.objects[1:] {
		if last := s.objects[i]; o.Dir < last.Dir || o.Dir == last.Dir && o.ID.Ino < last.ID.Ino {
			t.Fatalf("%s, inode %d, comes after %s, inode %d", o.Path(), o.ID.Ino, last.Path(), last.ID.Ino)
		}
	}
}

// ordered keeps what is judged garbage, in order.
type ordered struct{ objects []hostgc.Object }

func (o *ordered) Hear(hostgc.Hearing) error { return nil }

func (o *ordered) Decide(_ *observe.Place, d hostgc.Decision) error {
	if d.Verdict == hostgc.Garbage {
		o.objects = append(o.objects, d.Object)
	}
	return nil
}
