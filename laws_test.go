package hostgc

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// randomNode is a hearing and the objects to hold against it. Everything is
// drawn from few names, so that references and claims meet often.
type randomNode struct {
	hearing Hearing
	objects []Object
}

func drawRef(t *rapid.T, spaces ...Space) Ref {
	return Ref{rapid.SampledFrom(spaces).Draw(t, "space"), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "key")}
}

func drawClaim(t *rapid.T, spaces []Space) Claim {
	c := Claim{Ref: drawRef(t, spaces...), Detail: "claimed",
		State: rapid.SampledFrom([]State{"", StateReady, StateNotReady}).Draw(t, "state")}
	if rapid.Bool().Draw(t, "conditional") {
		c.If = drawRef(t, SpaceSandbox, SpaceNetns, SpacePod)
	}
	return c
}

func drawTestimony(t *rapid.T, name string, speaks, knows []Space) Testimony {
	y := Testimony{Witness: name, Speaks: speaks, Knows: knows, At: now}
	y.Claims = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Claim { return drawClaim(t, speaks) }), 0, 4).Draw(t, "claims of "+name)
	if rapid.IntRange(0, 5).Draw(t, "mute") == 0 {
		y.Err = "mute"
	}
	return y
}

func drawStamp(t *rapid.T) time.Time {
	return now.Add(-time.Duration(rapid.IntRange(-1, 30).Draw(t, "hours")) * time.Hour)
}

func drawObject(t *rapid.T) Object {
	o := Object{Kind: "test", Dir: "/d", Name: idA, Refs: []Ref{drawRef(t, SpaceSandbox)}}
	o.Refs = append(o.Refs, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Ref {
		return drawRef(t, SpaceNetns, SpacePod)
	}), 0, 2).Draw(t, "refs")...)
	o.ID.Mtime, o.ID.Ctime = drawStamp(t), drawStamp(t)
	return o
}

func drawNode(t *rapid.T) randomNode {
	up := time.Duration(rapid.IntRange(0, 40).Draw(t, "uptime")) * time.Hour
	n := randomNode{hearing: Hearing{
		Testimonies: []Testimony{
			drawTestimony(t, "cri", []Space{SpaceSandbox}, []Space{SpaceSandbox}),
			drawTestimony(t, "proc", []Space{SpaceSandbox, SpaceNetns}, []Space{SpaceNetns}),
			drawTestimony(t, "kubeapi", []Space{SpacePod}, nil),
		},
		Controls: map[string]Control{"/d": {
			Listed: 1, Ready: rapid.IntRange(0, 1).Draw(t, "ready"), Here: true, Elsewhere: true, Proof: "p"}},
		Terms: Terms{Now: now, Boot: now.Add(-up), Uptime: up, Runtimes: []Runtime{containerd(up/2 + time.Minute)}},
	}}
	n.objects = rapid.SliceOfN(rapid.Custom(drawObject), 1, 6).Draw(t, "objects")
	return n
}

// garbage judges in order, learning from each object, and gives the indexes
// of what is garbage.
func (n randomNode) garbage() []int {
	b, k := n.hearing.Bench(nil), testKind()
	var out []int
	for _, o := range n.objects {
		b.Learn(o)
	}
	for i, o := range n.objects {
		if b.Judge(k, o).Verdict == Garbage {
			out = append(out, i)
		}
	}
	return out
}

func requireSubset(t *rapid.T, after, before []int) {
	for _, i := range after {
		if !slices.Contains(before, i) {
			t.Fatalf("object %d became garbage: %v before, %v after", i, before, after)
		}
	}
}

// Law 1: one more claim never makes more garbage.
func TestLawOneMoreClaim(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		before := n.garbage()
		w := rapid.IntRange(0, len(n.hearing.Testimonies)-1).Draw(t, "witness")
		y := &n.hearing.Testimonies[w]
		y.Claims = append(slices.Clone(y.Claims), drawClaim(t, []Space{SpaceSandbox, SpaceNetns, SpacePod}))
		requireSubset(t, n.garbage(), before)
	})
}

// Law 1, the other half: an object whose owner is claimed is never garbage,
// whatever else is said.
func TestLawClaimedIsNeverGarbage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		o := rapid.SampledFrom(n.objects).Draw(t, "object")
		w := rapid.IntRange(0, 1).Draw(t, "witness")
		y := &n.hearing.Testimonies[w]
		y.Claims = append(slices.Clone(y.Claims), Claim{Ref: o.Refs[0], Detail: "alive"})
		if d := n.hearing.Bench(nil).Judge(testKind(), o); d.Verdict == Garbage {
			t.Fatalf("garbage although %s claims it", y.Witness)
		}
	})
}

// Law 2: one answer fewer never makes more garbage.
func TestLawOneAnswerFewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		before := n.garbage()
		w := rapid.IntRange(0, len(n.hearing.Testimonies)-1).Draw(t, "witness")
		y := &n.hearing.Testimonies[w]
		y.Err, y.Claims = "mute", nil
		requireSubset(t, n.garbage(), before)
	})
}

// The laws say nothing if random nodes hold no garbage.
func TestRandomNodesHoldGarbage(t *testing.T) {
	found := 0
	for i := range 200 {
		found += len(rapid.Custom(drawNode).Example(i).garbage())
	}
	if found == 0 {
		t.Fatal("none of 200 random nodes holds garbage: the law tests prove nothing")
	}
}
