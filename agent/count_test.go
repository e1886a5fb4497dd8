package agent

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

func decision(kind, name string, v hostgc.Verdict, rule string) hostgc.Decision {
	return hostgc.Decision{Verdict: v, Because: []hostgc.Reason{{Rule: rule}},
		Object: hostgc.Object{Kind: kind, Dir: "/d", Name: name, ID: hostgc.Identity{Alloc: 4096}}}
}

func garbage(kind, name, cause, network string) hostgc.Decision {
	d := decision(kind, name, hostgc.Garbage, hostgc.RuleAbsent)
	d.Object.Cause, d.Object.Owner.Network = cause, network
	return d
}

func TestCount(t *testing.T) {
	seen := garbage("a", "1", "runtime-forgot", "cbr0")
	earlier := hostgc.NewCondemned()
	earlier.Add(seen.Object)
	c := NewCount(earlier, sweep.Ignore{})
	for range 2 {
		if err := c.Hear(hostgc.Hearing{Testimonies: []hostgc.Testimony{{Witness: "cri", Err: "refused"}, {Witness: "proc"}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		d    hostgc.Decision
		done sweep.Outcome
	}{
		{seen, sweep.Outcome{Removed: true}},
		{garbage("a", "2", "runtime-forgot", "cbr0"), sweep.Outcome{Kept: "garbage once"}},
		{garbage("b", "3", "power-loss", ""), sweep.Outcome{Err: errors.New("EROFS")}},
		{decision("a", "4", hostgc.Live, hostgc.RuleClaimed), sweep.Outcome{}},
		{decision("a", "5", hostgc.Young, hostgc.RuleYoung), sweep.Outcome{}},
		{decision("b", "6", hostgc.Unknown, hostgc.RuleUnheard), sweep.Outcome{}},
	} {
		if err := c.Decide(x.d, x.done); err != nil {
			t.Fatal(err)
		}
	}
	want := &Count{
		Objects: map[Of]int{{"a", hostgc.Garbage}: 2, {"b", hostgc.Garbage}: 1, {"a", hostgc.Live}: 1, {"a", hostgc.Young}: 1, {"b", hostgc.Unknown}: 1},
		New:     map[string]int{"a": 1, "b": 1},
		Refused: map[string]int{hostgc.RuleUnheard: 1},
		Mute:    map[string]int{"cri": 2},
		Leaks:   map[Leak]int{{"a", "runtime-forgot", "cbr0"}: 2, {"b", "power-loss", ""}: 1},
		Removed: map[string]int{"a": 1}, Failed: map[string]int{"b": 1}, Bytes: 4096, Causes: map[string]int{"runtime-forgot": 1},
	}
	ignore := cmp.FilterPath(func(p cmp.Path) bool {
		n := p.Last().String()
		return n == ".Next" || n == ".Before" || n == ".networks"
	}, cmp.Ignore())
	if diff := cmp.Diff(want, c, ignore); diff != "" {
		t.Error(diff)
	}
}

// At the start of an agent nothing is new: it would be all there is.
func TestNothingIsNewAtFirst(t *testing.T) {
	c := NewCount(nil, sweep.Ignore{})
	if err := c.Decide(garbage("a", "1", "", ""), sweep.Outcome{}); err != nil || len(c.New) != 0 {
		t.Errorf("%v %v", err, c.New)
	}
}

// Names of networks come from files, and there may be any number.
func TestNetworksAreBounded(t *testing.T) {
	c := NewCount(nil, sweep.Ignore{})
	for i := range 1000 {
		if err := c.Decide(garbage("a", fmt.Sprint(i), "x", fmt.Sprintf("net%d", i%500)), sweep.Outcome{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.Leaks) != 11 || c.Leaks[Leak{"a", "x", "net3"}] != 2 || c.Leaks[Leak{"a", "x", OtherNetwork}] != 980 {
		t.Errorf("%d leaks: %v", len(c.Leaks), c.Leaks)
	}
}

// What counts does not swallow: the next sink is told, and its error ends the
// pass.
func TestCountPassesOn(t *testing.T) {
	c := NewCount(nil, broken{})
	if c.Hear(hostgc.Hearing{}) == nil || c.Decide(garbage("a", "1", "", ""), sweep.Outcome{}) == nil {
		t.Error("the next sink's error is lost")
	}
}

type broken struct{}

func (broken) Hear(hostgc.Hearing) error                   { return errors.New("full") }
func (broken) Decide(hostgc.Decision, sweep.Outcome) error { return errors.New("full") }
