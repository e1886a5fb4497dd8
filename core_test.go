package hostgc

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestControlScope(t *testing.T) {
	for _, c := range []struct {
		name  string
		c     Control
		scope Scope
		why   string
	}{
		{"a running sandbox has an entry here", Control{Listed: 2, Ready: 1, Here: true, Elsewhere: true}, ScopeAll, ""},
		{"running sandboxes have entries elsewhere only", Control{Listed: 2, Ready: 1, Elsewhere: true}, ScopeOld, "none of the 1 running"},
		{"elsewhere only, and the operator vouches", Control{Listed: 2, Ready: 1, Elsewhere: true, Override: true}, ScopeAll, ""},
		{"the list of another node", Control{Listed: 2, Ready: 2, Proof: "p"}, ScopeNone, "none of the 2 running"},
		{"the list of another node, and the operator vouches", Control{Listed: 2, Ready: 2, Override: true}, ScopeNone, "wrong root"},
		{"an empty list", Control{Proof: "p"}, ScopeNone, "no sandbox at all"},
		{"an empty list, and the operator vouches", Control{Override: true}, ScopeAll, ""},
		{"nothing runs, nothing proves", Control{Listed: 3}, ScopeNone, "--accept-idle-node"},
		{"nothing runs, but the list is proven", Control{Listed: 3, Proof: "a process of x"}, ScopeOld, "a process of x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scope, why := c.c.Scope()
			if scope != c.scope || !strings.Contains(why, c.why) || (scope != ScopeAll) != (why != "") {
				t.Errorf("got %v, %q", scope, why)
			}
		})
	}
}

// In the narrower scope only what is older than the boot or the runtime is judged.
func TestScopeOld(t *testing.T) {
	h := quiet()
	h.Controls["/d"] = Control{Listed: 1, Proof: "a process runs here"}
	h.Terms.Uptime, h.Terms.Boot = 12*time.Hour, now.Add(-12*time.Hour)
	h.Terms.Runtimes = []Runtime{containerd(4 * time.Hour)}
	for _, c := range []struct {
		age     time.Duration
		verdict Verdict
		rule    string
	}{
		{24 * time.Hour, Garbage, RuleAbsent},
		{6 * time.Hour, Garbage, RuleAbsent},
		{3 * time.Hour, Unknown, RuleUnproven},
	} {
		o := stale()
		o.ID.Mtime, o.ID.Ctime = now.Add(-c.age), now.Add(-c.age)
		wantRule(t, h.Bench(nil).Judge(testKind(), o), c.verdict, c.rule, "")
	}
	h.Terms.Runtimes, h.Terms.Boot = nil, time.Time{}
	wantRule(t, h.Bench(nil).Judge(testKind(), stale()), Unknown, RuleUnproven, "older than the boot")
}

// CRI-O's background DEL needs the files for an hour after the sandbox left
// its list, however old they are.
func TestLooksApart(t *testing.T) {
	for _, c := range []struct {
		name     string
		terms    Terms
		ask, get time.Duration
	}{
		{"containerd", Terms{Runtimes: []Runtime{containerd(time.Hour)}}, 30 * time.Second, 30 * time.Second},
		{"CRI-O", Terms{Runtimes: []Runtime{crio(time.Hour)}}, 30 * time.Second, time.Hour},
		{"CRI-O beside containerd", Terms{Runtimes: []Runtime{containerd(time.Hour), crio(time.Hour)}}, 30 * time.Second, time.Hour},
		{"CRI-O, longer asked for", Terms{Runtimes: []Runtime{crio(time.Hour)}}, 2 * time.Hour, 2 * time.Hour},
		{"CRI-O of a test cluster", Terms{Age: time.Second, Runtimes: []Runtime{crio(time.Hour)}}, 30 * time.Second, 30 * time.Second},
		{"offline", Terms{Offline: true}, 0, 0},
	} {
		if got := c.terms.Apart(c.ask); got != c.get {
			t.Errorf("%s: %s apart, want %s", c.name, got, c.get)
		}
	}
}

func TestIndexFollowsConditions(t *testing.T) {
	ix := NewIndex(nil)
	c := Ref{SpacePod, "c"}
	ix.Add(Claim{Ref: c, If: boxB})
	ix.Add(Claim{Ref: boxB, If: boxA})
	if _, ok := ix.Alive(c); ok {
		t.Fatal("alive before its condition is")
	}
	ix.Add(Claim{Ref: boxA, Detail: "first"})
	ix.Add(Claim{Ref: boxA, Detail: "second"})
	for _, r := range []Ref{boxA, boxB, c} {
		if _, ok := ix.Alive(r); !ok {
			t.Errorf("%s is not alive", r)
		}
	}
	if got, _ := ix.Alive(boxA); got.Detail != "first" {
		t.Errorf("a second claim replaced the first: %q", got.Detail)
	}
}

// What one object of a sandbox tells of it keeps the others.
func TestLearn(t *testing.T) {
	h := quiet()
	hear(&h, 1, Claim{Ref: nsA, Detail: "process 7"})
	b := h.Bench(nil)
	only := stale()
	only.Refs = only.Refs[:1]
	b.Learn(only)
	wantRule(t, b.Judge(testKind(), only), Garbage, RuleAbsent, "")
	b.Learn(stale())
	wantRule(t, b.Judge(testKind(), only), Live, RuleClaimed, "process 7")
}

// What was learnt holds at later hearings of the pass, where its condition does.
func TestLearntIsRemembered(t *testing.T) {
	h := quiet()
	hear(&h, 1, Claim{Ref: nsA, Detail: "process 7"})
	first := h.Bench(nil)
	first.Learn(stale())
	first.Learn(stale())
	only := stale()
	only.Refs = only.Refs[:1]
	wantRule(t, h.Bench(first).Judge(testKind(), only), Live, RuleClaimed, "process 7")
	wantRule(t, quiet().Bench(first).Judge(testKind(), only), Garbage, RuleAbsent, "")
}

// A mount on one object says nothing of its owner's others.
func TestNothingIsLearntFromAMount(t *testing.T) {
	h, mounted := quiet(), stale()
	place := Ref{SpaceMount, "8:1:/d/a"}
	mounted.Refs = append(mounted.Refs, place)
	hear(&h, 1, Claim{Ref: place, Detail: "a mount"})
	b := h.Bench(nil)
	b.Learn(mounted)
	wantRule(t, b.Judge(testKind(), mounted), Live, RuleClaimed, "a mount")
	wantRule(t, b.Judge(testKind(), stale()), Garbage, RuleAbsent, "")
}

// A pod that runs keeps its sandbox's files of this boot, and no older ones.
func TestLearnOfAPod(t *testing.T) {
	h := quiet()
	hearPod(&h)
	b := h.Bench(nil)
	old, recent := stale(), stale()
	old.Refs, recent.Refs = old.Refs[:1], recent.Refs[:1]
	recent.ID.Mtime = now.Add(-3 * time.Hour)
	wantRule(t, b.Judge(testKind(), recent), Garbage, RuleAbsent, "")
	b.Learn(stale())
	wantRule(t, b.Judge(testKind(), recent), Live, RuleClaimed, "pod a")
	wantRule(t, b.Judge(testKind(), old), Garbage, RuleAbsent, "")
}

func TestCondemned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewCondemned()
		o := stale()
		for i := range rapid.IntRange(0, 50).Draw(t, "others") {
			p := o
			p.Name = strconv.Itoa(i)
			c.Add(p)
		}
		if c.Has(o) {
			t.Fatal("has what was not added")
		}
		c.Add(o)
		if !c.Has(o) {
			t.Fatal("does not have what was added")
		}
		changed := []func(*Object){
			func(o *Object) { o.Dir += "x" }, func(o *Object) { o.Name += "x" },
			func(o *Object) { o.ID.Dev++ }, func(o *Object) { o.ID.Ino++ }, func(o *Object) { o.ID.Size++ },
			func(o *Object) { o.ID.Mtime = o.ID.Mtime.Add(1) }, func(o *Object) { o.ID.Ctime = o.ID.Ctime.Add(1) },
		}
		rapid.SampledFrom(changed).Draw(t, "change")(&o)
		if c.Has(o) {
			t.Fatalf("has an object that changed: %+v", o)
		}
	})
	if c := NewCondemned(); c.Len() != 0 {
		t.Errorf("an empty set has %d", c.Len())
	}
}

// More than the blocks of one size hold.
func TestCondemnedOfMany(t *testing.T) {
	const many = 150_000
	c, o := NewCondemned(), stale()
	for i := range many {
		o.ID.Ino = uint64(i)
		c.Add(o)
	}
	if c.Len() != many {
		t.Errorf("%d of %d", c.Len(), many)
	}
	for i := range many {
		if o.ID.Ino = uint64(i); !c.Has(o) {
			t.Fatalf("does not have inode %d", i)
		}
	}
	if o.ID.Ino = many; c.Has(o) {
		t.Error("has what was not added")
	}
}

func TestIdentitySame(t *testing.T) {
	id := stale().ID
	if !id.Same(id) {
		t.Fatal("not the same as itself")
	}
	for i, change := range []func(*Identity){
		func(x *Identity) { x.Dev++ }, func(x *Identity) { x.Ino++ }, func(x *Identity) { x.Mode++ },
		func(x *Identity) { x.Nlink++ }, func(x *Identity) { x.UID++ }, func(x *Identity) { x.Size++ },
		func(x *Identity) { x.Mtime = x.Mtime.Add(1) }, func(x *Identity) { x.Ctime = x.Ctime.Add(1) },
	} {
		other := id
		change(&other)
		if id.Same(other) {
			t.Errorf("change %d is not seen", i)
		}
	}
	later := Identity{Mtime: now.Add(time.Hour), Ctime: now}
	if !later.Stamp().Equal(now.Add(time.Hour)) {
		t.Error("the stamp is not the later of the two times")
	}
}

func TestPlan(t *testing.T) {
	p := NewPlan(map[string]int{"a": 2})
	for i, want := range []bool{true, true, false} {
		if why, ok := p.Admit("a"); ok != want || ok == (why != "") {
			t.Errorf("object %d: %v, %q", i, ok, why)
		}
	}
	if _, ok := p.Admit("b"); !ok {
		t.Error("a kind without a limit was limited")
	}
	var ramp []int
	for i := range 6 {
		ramp = append(ramp, Ramp(i))
	}
	if want := []int{10, 100, 1000, 10000, 0, 0}; !slices.Equal(ramp, want) {
		t.Errorf("the ramp is %v, want %v", ramp, want)
	}
	for _, c := range [][3]int{{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {5, 7, 5}, {7, 5, 5}} {
		if got := Tighter(c[0], c[1]); got != c[2] {
			t.Errorf("the tighter of %d and %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestEachCauseHasADiagnosis(t *testing.T) {
	for _, c := range []string{CauseLibcni120, CauseDelFailed, CausePowerLoss, CauseMultusPanic, CauseUnknownToCRI, CauseEmptyBlocking} {
		if d, ok := Diagnose(c); !ok || d.What == "" {
			t.Errorf("%s has no diagnosis", c)
		}
	}
	if _, ok := Diagnose("weather"); ok {
		t.Error("an unknown cause has a diagnosis")
	}
}

func TestPathAndRef(t *testing.T) {
	if got := stale().Path(); got != "/d/"+idA {
		t.Error(got)
	}
	if got := podA.String(); got != "pod/uid-a" {
		t.Error(got)
	}
}

// TestCoreIsPure holds the pure core to its word: no I/O, no clock, no log.
// Only direct imports count; that time.Now is not called is for the linter.
func TestCoreIsPure(t *testing.T) {
	allowed := []string{"context", "encoding/binary", "fmt", "hash/maphash", "slices", "strings", "time"}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			if p := strings.Trim(i.Path.Value, `"`); !slices.Contains(allowed, p) {
				t.Errorf("%s imports %s: the core does no I/O, knows no clock and writes no log", f, p)
			}
		}
	}
}
