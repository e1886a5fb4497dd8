package hostgc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What is spared by its name, Judge keeps with the same words: an object that
// was not read has its name and its owner, and nothing else.
func TestSpareIsJudge(t *testing.T) {
	k := testKind()
	k.Owner = func(name string) (Ref, bool) { return Ref{SpaceSandbox, name[:1]}, k.Match(name) }
	settled := 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		b, fresh := n.hearing.Bench(nil), n.hearing.Bench(nil)
		for _, o := range n.objects {
			b.Learn(o)
			fresh.Learn(o)
		}
		// Each owner twice: the second decision comes from memory.
		for _, name := range []string{"1" + idA[1:], "1" + idB[1:], "2" + idA[1:], "foreign", "2" + idB[1:]} {
			got, ok := b.Spare(k, "/d", name)
			if !ok {
				continue
			}
			settled++
			o := Object{Kind: k.Name, Dir: "/d", Name: name}
			if owner, ours := k.Owner(name); ours {
				o.Refs, o.Owner = []Ref{owner}, Owner{Sandbox: owner.Key}
			}
			if got.Verdict == Garbage {
				t.Fatalf("%s is garbage by its name", name)
			}
			if diff := cmp.Diff(fresh.Judge(k, o), got); diff != "" {
				t.Fatalf("Judge (-), Spare (+):\n%s", diff)
			}
		}
	})
	if settled == 0 {
		t.Fatal("nothing was spared: the test proves nothing")
	}
}

// The files of a sandbox that is not ready are read: an empty one can be what
// keeps it from going.
func TestSpareReadsOfNotReady(t *testing.T) {
	k := testKind()
	k.Owner = func(name string) (Ref, bool) { return Ref{SpaceSandbox, name}, true }
	h := quiet()
	if _, ok := h.Bench(nil).Spare(k, "/d", idB); !ok {
		t.Error("a ready sandbox's file is not settled by its name")
	}
	h.Testimonies[0].Claims[0].State = StateNotReady
	if _, ok := h.Bench(nil).Spare(k, "/d", idB); ok {
		t.Error("the file of a sandbox that is not ready is settled by its name")
	}
	if _, ok := h.Bench(nil).Spare(k, "/d", idA); ok {
		t.Error("a file that nobody claims is settled by its name")
	}
}

// A kind whose Owner takes a name that its Match does not allow has its objects
// read, and Judge calls them foreign.
func TestSpareOfAKindThatContradictsItself(t *testing.T) {
	k := testKind()
	k.Owner = func(string) (Ref, bool) { return boxB, true } // alive, by quiet
	if d, settled := quiet().Bench(nil).Spare(k, "/d", "foreign"); settled {
		t.Errorf("settled as %s by %s", d.Verdict, d.Rule())
	}
}
