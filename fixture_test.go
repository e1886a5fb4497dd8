package hostgc

import (
	"strings"
	"testing"
	"time"
)

var (
	now  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	idA  = strings.Repeat("a", 64)
	idB  = strings.Repeat("b", 64)
	boxA = Ref{SpaceSandbox, idA}
	boxB = Ref{SpaceSandbox, idB}
	nsA  = Ref{SpaceNetns, "/run/netns/cni-a"}
	podA = Ref{SpacePod, "uid-a"}
)

func testKind() *Kind {
	return &Kind{
		Name: "test", Names: "<64 hex>", Age: DefaultAge, Mode: ModeEnforce,
		Match: func(name string) bool { return len(name) == 64 },
	}
}

// stale is an object that every rule lets pass on the bench of idle.
func stale() Object {
	old := now.Add(-24 * time.Hour)
	return Object{
		Kind: "test", Dir: "/d", Name: idA, Refs: []Ref{boxA, nsA, podA},
		ID: Identity{Dev: 1, Ino: 2, Mode: 0o100600, Nlink: 1, Size: 9, Mtime: old, Ctime: old},
	}
}

// quiet is a hearing on a node that is up for long, with one running sandbox
// that is not the object's, and complete answers.
func quiet() Hearing {
	return Hearing{
		Testimonies: []Testimony{
			{Witness: "cri", Speaks: []Space{SpaceSandbox}, Knows: []Space{SpaceSandbox}, At: now,
				Says: "1 sandbox", Claims: []Claim{{Ref: boxB, State: StateReady, Witness: "cri", Detail: "b is listed"}}},
			{Witness: "proc", Speaks: []Space{SpaceSandbox, SpaceNetns}, Knows: []Space{SpaceNetns}, At: now, Says: "9 processes"},
		},
		Controls: map[string]Control{"/d": {Listed: 1, Ready: 1, Here: true, Elsewhere: true}},
		Terms: Terms{Now: now, Boot: now.Add(-12 * time.Hour), Uptime: 12 * time.Hour,
			Runtimes: []Runtime{containerd(11 * time.Hour)}},
	}
}

func containerd(up time.Duration) Runtime {
	return Runtime{Name: "containerd", Version: "2.4.2", Endpoint: "unix:///c", Started: now.Add(-up), Up: up}
}

func crio(up time.Duration) Runtime {
	return Runtime{Name: "cri-o", Version: "1.37.0", Endpoint: "unix:///o", Started: now.Add(-up), Up: up}
}

func wantRule(t *testing.T, d Decision, v Verdict, rule, text string) {
	t.Helper()
	if d.Verdict != v || d.Rule() != rule {
		t.Fatalf("got %s by rule %q (%s), want %s by rule %q", d.Verdict, d.Rule(), d.Because[0].Text, v, rule)
	}
	if !strings.Contains(d.Because[0].Text, text) {
		t.Errorf("the reason is %q, and does not say %q", d.Because[0].Text, text)
	}
}
