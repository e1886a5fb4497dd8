package hostgc

import (
	"testing"
	"time"
)

// TestJudge takes one reason to keep at a time to an object that is garbage
// without it: each row fails when its rule is taken out.
func TestJudge(t *testing.T) {
	age := func(d time.Duration) func(*Hearing, *Object) {
		return func(_ *Hearing, o *Object) { o.ID.Mtime, o.ID.Ctime = now.Add(-d), now.Add(-d) }
	}
	for _, c := range []struct {
		name    string
		change  func(h *Hearing, o *Object)
		verdict Verdict
		rule    string
		text    string
	}{
		{"nothing keeps it", func(*Hearing, *Object) {}, Garbage, RuleAbsent, "not in what cri says: 1 sandbox"},
		{"a foreign name", func(_ *Hearing, o *Object) { o.Name = "x" }, Unknown, RuleOutside, "shape <64 hex>"},
		{"not understood", func(_ *Hearing, o *Object) { o.Flaw = "it is a symlink" }, Unknown, RuleFlawed, "symlink"},
		{"no owner", func(_ *Hearing, o *Object) { o.Refs = nil }, Unknown, RuleAnonymous, "whose"},
		{"held by its kind", func(_ *Hearing, o *Object) { o.Holds = []string{"x", "y"} }, Unknown, RuleHeld, "x; y"},
		{"its sandbox is listed", func(h *Hearing, _ *Object) { hear(h, 0, Claim{Ref: boxA, Detail: "listed"}) }, Live, RuleClaimed, "listed"},
		{"its sandbox is not ready", func(h *Hearing, _ *Object) { hear(h, 0, Claim{Ref: boxA, State: StateNotReady, Detail: "NOTREADY"}) }, Live, RuleClaimed, "NOTREADY"},
		{"a process in its netns", func(h *Hearing, _ *Object) { hear(h, 1, Claim{Ref: nsA, Detail: "process 7"}) }, Live, RuleClaimed, "process 7"},
		{"alive if another is", func(h *Hearing, _ *Object) { hear(h, 1, Claim{Ref: boxA, If: boxB, Detail: "shares"}) }, Live, RuleClaimed, "shares"},
		{"alive if another were", func(h *Hearing, _ *Object) { hear(h, 1, Claim{Ref: boxA, If: nsA}) }, Garbage, RuleAbsent, ""},
		{"its pod runs", func(h *Hearing, o *Object) { hearPod(h); o.ID.Mtime = h.Terms.Boot.Add(time.Hour) }, Live, RuleClaimed, "pod a"},
		{"its pod runs again after a reboot", func(h *Hearing, _ *Object) { hearPod(h) }, Garbage, RuleAbsent, ""},
		{"the runtime is mute", func(h *Hearing, _ *Object) { h.Testimonies[0].Err = "refused" }, Unknown, RuleUnheard, "cri is mute: refused"},
		{"/proc is mute", func(h *Hearing, _ *Object) { h.Testimonies[1].Err = "EACCES" }, Unknown, RuleUnheard, "proc is mute: EACCES"},
		{"no runtime was asked", func(h *Hearing, _ *Object) { h.Testimonies = h.Testimonies[1:] }, Unknown, RuleUnheard, "every sandbox"},
		{"the API is needed and mute", func(h *Hearing, o *Object) { mutePods(h); o.ID.Mtime = now.Add(-3 * time.Hour) }, Unknown, RuleUnheard, "403"},
		{"the API is needed, by a file that names no pod", func(h *Hearing, o *Object) {
			mutePods(h)
			o.Refs, o.ID.Mtime = o.Refs[:1], now.Add(-3*time.Hour)
		}, Unknown, RuleUnheard, "403"},
		{"the API is mute, and the object older than the boot", func(h *Hearing, _ *Object) { mutePods(h) }, Garbage, RuleAbsent, ""},
		{"no control", func(h *Hearing, _ *Object) { h.Controls = nil }, Unknown, RuleUnproven, "no sandbox at all"},
		{"changed a minute ago", age(time.Minute), Young, RuleYoung, "changed 1m0s ago"},
		{"changed just under two hours ago", age(2*time.Hour - time.Second), Young, RuleYoung, "minimum age 2h0m0s"},
		{"changed two hours ago", age(2 * time.Hour), Garbage, RuleAbsent, ""},
		{"old content, inode changed now", func(_ *Hearing, o *Object) { o.ID.Ctime = now.Add(-time.Minute) }, Young, RuleYoung, "1m0s"},
		{"from the future", age(-time.Second), Young, RuleYoung, "in the future"},
		{"a minimum age is asked for", func(h *Hearing, _ *Object) { h.Terms.Age = 48 * time.Hour }, Young, RuleYoung, "48h"},
		{"the node has just booted", func(h *Hearing, o *Object) {
			h.Terms.Uptime, h.Terms.Runtimes = time.Hour, []Runtime{crio(time.Hour)}
		}, Young, RuleSettling, "node is up for 1h0m0s only"},
		{"the runtime has just started", func(h *Hearing, o *Object) {
			h.Terms.Runtimes = []Runtime{containerd(time.Minute)}
		}, Young, RuleSettling, "containerd at unix:///c is up for 1m0s only"},
		{"one of two runtimes has just started", func(h *Hearing, o *Object) {
			h.Terms.Runtimes = append(h.Terms.Runtimes, crio(time.Minute))
		}, Young, RuleSettling, "cri-o"},
		{"offline, time does not matter", func(h *Hearing, o *Object) {
			h.Terms = Terms{Now: now, Offline: true}
		}, Garbage, RuleAbsent, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, o := quiet(), stale()
			c.change(&h, &o)
			wantRule(t, h.Bench(nil).Judge(testKind(), o), c.verdict, c.rule, c.text)
		})
	}
}

func hear(h *Hearing, witness int, c Claim) {
	c.Witness = h.Testimonies[witness].Witness
	h.Testimonies[witness].Claims = append(h.Testimonies[witness].Claims, c)
}

func hearPod(h *Hearing) {
	h.Testimonies = append(h.Testimonies, Testimony{Witness: "kubeapi", Speaks: []Space{SpacePod}, At: now,
		Claims: []Claim{{Ref: podA, Witness: "kubeapi", Detail: "pod a runs"}}})
}

func mutePods(h *Hearing) {
	h.Testimonies = append(h.Testimonies, Testimony{Witness: "kubeapi", Speaks: []Space{SpacePod}, At: now, Err: "403"})
}

// TestOutage: after a reboot with a wiped runtime every pod is stuck until the
// addresses of the old sandboxes are free. What is older than the boot need
// not wait for two hours of uptime.
func TestOutage(t *testing.T) {
	booted := func(up time.Duration, runtimes ...Runtime) Hearing {
		h := quiet()
		h.Terms = Terms{Now: now, Boot: now.Add(-up), Uptime: up, Runtimes: runtimes}
		return h
	}
	fresh := func(age time.Duration) Object {
		o := stale()
		o.ID.Mtime, o.ID.Ctime = now.Add(-age), now.Add(-age)
		return o
	}
	ten := 10 * time.Minute
	for _, c := range []struct {
		name    string
		h       Hearing
		o       Object
		verdict Verdict
		rule    string
	}{
		{"containerd ready for five minutes", booted(ten, containerd(5*time.Minute)), fresh(20 * time.Minute), Garbage, RuleAbsent},
		{"containerd ready for less", booted(ten, containerd(5*time.Minute-time.Second)), fresh(20 * time.Minute), Young, RuleYoung},
		{"CRI-O retries a DEL for 57 minutes", booted(ten, crio(9*time.Minute)), fresh(20 * time.Minute), Young, RuleYoung},
		{"CRI-O beside containerd", booted(ten, containerd(9*time.Minute), crio(9*time.Minute)), fresh(20 * time.Minute), Young, RuleYoung},
		{"made within a minute of the boot", booted(ten, containerd(9*time.Minute)), fresh(ten + 30*time.Second), Young, RuleYoung},
		{"made after the boot", booted(ten, containerd(9*time.Minute)), fresh(9 * time.Minute), Young, RuleYoung},
		{"no runtime", booted(ten), fresh(20 * time.Minute), Young, RuleYoung},
		{"the clock was set since the runtime started", booted(ten,
			Runtime{Name: "containerd", Started: now.Add(-20 * 24 * time.Hour), Up: 9 * time.Minute}), fresh(10 * 24 * time.Hour), Young, RuleSettling},
		{"the runtime's process is not seen", booted(ten,
			Runtime{Name: "containerd", Started: now.Add(-9 * time.Minute)}), fresh(20 * time.Minute), Young, RuleYoung},
		{"the clock was not set at all", booted(ten, containerd(9*time.Minute)), fresh(50 * 365 * 24 * time.Hour), Young, RuleSettling},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRule(t, c.h.Bench(nil).Judge(testKind(), c.o), c.verdict, c.rule, "")
		})
	}
}

func TestTrailStopsAtTheRuleThatKeeps(t *testing.T) {
	h, o := quiet(), stale()
	hear(&h, 0, Claim{Ref: boxA, Detail: "listed"})
	steps := h.Bench(nil).Trail(testKind(), o)
	last := steps[len(steps)-1]
	if !last.Keeps || last.Rule != RuleClaimed || last.Text != "listed" {
		t.Errorf("the last step is %+v", last)
	}
	for _, s := range steps[:len(steps)-1] {
		if s.Keeps || s.Text == "" || s.At.IsZero() {
			t.Errorf("step %+v should pass, with a text and a time", s)
		}
	}
}

func TestTrailOfGarbageExplainsEachRule(t *testing.T) {
	old := quiet()
	old.Controls["/d"] = Control{Listed: 1, Proof: "a process runs here"}
	old.Terms.Uptime, old.Terms.Boot = time.Hour, now.Add(-time.Hour)
	old.Terms.Runtimes = []Runtime{containerd(30 * time.Minute)}
	offline, unseen := quiet(), quiet()
	offline.Terms = Terms{Now: now, Offline: true}
	unseen.Terms.Runtimes[0].Up = 0
	for name, h := range map[string]Hearing{"quiet": quiet(), "after a boot": old, "offline": offline,
		"the runtime's process is not seen": unseen} {
		steps := h.Bench(nil).Trail(testKind(), stale())
		if len(steps) != len(rules) {
			t.Fatalf("%s: %d steps for %d rules", name, len(steps), len(rules))
		}
		for _, s := range steps {
			if s.Keeps || s.Text == "" {
				t.Errorf("%s: step %+v", name, s)
			}
		}
	}
}
