package observe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/fakenode"
)

func TestPass(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["up"], f.Listed["down"] = hostgc.StateReady, hostgc.StateNotReady
	f.Claims = []hostgc.Claim{{Ref: fakenode.Sandbox("hidden"), Witness: "proc", Detail: "process 7"}}
	f.Write("a/up.1", "a/down.1", "a/gone.1", "a/hidden.1", "a/foreign")
	s := pass(t, f)
	s.want(t, "/a/up.1", hostgc.Live, hostgc.RuleClaimed, "up is listed")
	s.want(t, "/a/down.1", hostgc.Live, hostgc.RuleClaimed, "down is listed")
	s.want(t, "/a/hidden.1", hostgc.Live, hostgc.RuleClaimed, "process 7")
	s.want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
	s.want(t, "/a/foreign", hostgc.Unknown, hostgc.RuleOutside, "")
	if got := s.decisions["/a/gone.1"].Object.Cause; got != hostgc.CauseUnknownToCRI {
		t.Errorf("garbage has cause %q", got)
	}
}

// Law 3. A sandbox that is born while the witnesses are heard has files that
// none of them knows. They must not be among the objects of that hearing.
func TestObjectsAreListedBeforeWitnessesAreHeard(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1")
	f.OnAsk = func() { f.Write("a/newborn.1") }
	s := pass(t, f)
	if d, judged := s.decisions["/a/newborn.1"]; judged {
		t.Errorf("what was made while the runtime was asked was judged %s by its answer", d.Verdict)
	}
}

// Each batch has its own hearing, after it was listed, and nothing is judged
// twice or left out.
func TestBatches(t *testing.T) {
	f := fakenode.New(t)
	f.Dir("b")
	f.BatchSize = 10
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1", "b/up.1")
	for i := range 24 {
		f.Write(fmt.Sprintf("a/gone.%d", i), fmt.Sprintf("b/gone.%d", i))
	}
	s := pass(t, f)
	if len(s.decisions) != 50 || len(s.hearings) != 5 || f.Asked["cri"] != 5 {
		t.Errorf("%d decisions, %d hearings, %d questions; want 50, 5 and 5", len(s.decisions), len(s.hearings), f.Asked["cri"])
	}
	for path, n := range s.after {
		if n < 1 || n > 5 {
			t.Errorf("%s was judged after %d hearings", path, n)
		}
	}
}

func TestAnEmptyNodeIsHeard(t *testing.T) {
	f := fakenode.New(t)
	if s := pass(t, f); len(s.hearings) != 1 || len(s.decisions) != 0 {
		t.Errorf("%d hearings, %d decisions", len(s.hearings), len(s.decisions))
	}
}

// What is no regular file of root's is never garbage, and never stops a pass.
func TestFlaws(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1", "a/linked.1", "a/gone.1", "a/theirs.1", "a/huge.1")
	p := func(name string) string { return filepath.Join(f.Root, "a", name) }
	for _, err := range []error{
		os.Symlink("/etc/passwd", p("symlink.1")),
		os.Mkdir(p("dir.1"), 0o700),
		unix.Mkfifo(p("fifo.1"), 0o600),
		os.Link(p("linked.1"), p("linked.2")),
		os.Truncate(p("huge.1"), 4<<20+1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := pass(t, f)
	s.want(t, "/a/symlink.1", hostgc.Unknown, hostgc.RuleFlawed, "symlink")
	s.want(t, "/a/fifo.1", hostgc.Unknown, hostgc.RuleFlawed, "FIFO")
	s.want(t, "/a/linked.1", hostgc.Unknown, hostgc.RuleFlawed, "2 hard links")
	s.want(t, "/a/huge.1", hostgc.Unknown, hostgc.RuleFlawed, "more than any file of its kind")
	s.want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
	if _, judged := s.decisions["/a/dir.1"]; judged {
		t.Error("a directory was judged as a file")
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED, needs root: files of another user")
	}
	if err := os.Chown(p("theirs.1"), 12345, -1); err != nil {
		t.Fatal(err)
	}
	pass(t, f).want(t, "/a/theirs.1", hostgc.Unknown, hostgc.RuleFlawed, "user 12345")
}

// An empty entry of a sandbox that waits for its DEL is live, and worth a word.
func TestEmptyEntryThatBlocksADel(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["up"], f.Listed["down"] = hostgc.StateReady, hostgc.StateNotReady
	f.Write("a/up.1", "a/down.1", "a/down.2")
	if err := os.Truncate(filepath.Join(f.Root, "a/down.2"), 0); err != nil {
		t.Fatal(err)
	}
	s := pass(t, f)
	s.want(t, "/a/down.2", hostgc.Live, hostgc.RuleClaimed, "")
	if got := s.decisions["/a/down.2"].Object.Cause; got != hostgc.CauseEmptyBlocking {
		t.Errorf("cause %q", got)
	}
	if got := s.decisions["/a/down.1"].Object.Cause; got != "" {
		t.Errorf("an entry with content has cause %q", got)
	}
}

// What one object tells of its owner keeps the owner's other objects, also in
// another directory and another batch.
func TestKinKeepsKin(t *testing.T) {
	f := fakenode.New(t)
	f.Dir("b")
	f.BatchSize = 2
	netns := hostgc.Ref{Space: hostgc.SpaceNetns, Key: "/run/netns/x"}
	f.Listed["up"] = hostgc.StateReady
	f.Claims = []hostgc.Claim{{Ref: netns, Witness: "proc", Detail: "process 7 is in it"}}
	f.Inspect = func(o *hostgc.Object, content []byte) {
		if string(content) == "a/lost.1" {
			o.Refs = append(o.Refs, netns)
		}
	}
	f.Write("a/up.1", "a/lost.1", "b/lost.1")
	s := pass(t, f)
	s.want(t, "/a/lost.1", hostgc.Live, hostgc.RuleClaimed, "process 7")
	s.want(t, "/b/lost.1", hostgc.Live, hostgc.RuleClaimed, "process 7")
}

// A mount on an entry that only another mount namespace sees keeps the entry.
func TestMountElsewhereKeeps(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1", "a/gone.1", "a/gone.2")
	f.Claims = []hostgc.Claim{{Ref: hostgc.Ref{Space: hostgc.SpaceMount, Key: f.Places[0].Location + "/gone.2"},
		Witness: "proc", Detail: "mounted in the mount namespace of process 9"}}
	s := pass(t, f)
	s.want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
	s.want(t, "/a/gone.2", hostgc.Live, hostgc.RuleClaimed, "process 9")
}

func TestPassEndsWithTheContext(t *testing.T) {
	f := fakenode.New(t)
	f.Write("a/gone.1")
	ctx, stop := context.WithCancel(t.Context())
	f.OnAsk = stop
	err := f.Pass(ctx, &seen{decisions: map[string]hostgc.Decision{}, after: map[string]int{}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
