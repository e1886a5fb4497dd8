package observe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/internal/fakenode"
)

func TestMuteWitnesses(t *testing.T) {
	for _, name := range []string{"cri", "proc"} {
		t.Run(name, func(t *testing.T) {
			f := fakenode.New(t)
			f.Listed["up"] = hostgc.StateReady
			f.Broken[name] = errors.New("refused")
			f.Write("a/up.1", "a/gone.1")
			s := pass(t, f)
			s.want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnheard, name+" is mute: refused")
			// What it said before it failed still keeps.
			s.want(t, "/a/up.1", hostgc.Live, hostgc.RuleClaimed, "")
		})
	}
}

func TestPositiveControl(t *testing.T) {
	f := fakenode.New(t)
	f.Dir("b")
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/gone.1", "b/gone.1")
	s := pass(t, f)
	s.want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnproven, "none of the 1 running sandboxes")

	f.Write("b/up.1") // proves b, and for a only what is older than the boot
	s = pass(t, f)
	s.want(t, "/b/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
	s.want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnproven, "in this directory")

	f.AcceptIdle = true
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
}

// Sandboxes in the host's network have no CNI state, so their having none
// here does not speak against the list.
func TestHostNetworkIsNoControl(t *testing.T) {
	f := fakenode.New(t)
	f.Listed["host"] = hostgc.StateReady
	f.Write("a/gone.1")
	f.Claims = []hostgc.Claim{{Ref: fakenode.Sandbox("host"), Witness: "proc", Detail: "process 7"}}
	f.HostNetwork = func(_ context.Context, ids []string) (map[string]bool, error) {
		return map[string]bool{ids[0]: true}, nil
	}
	old := func() (hostgc.Terms, error) {
		return hostgc.Terms{Now: time.Now().Add(9 * time.Hour), Boot: time.Now().Add(3 * time.Hour), Uptime: 6 * time.Hour}, nil
	}
	fresh := f.Terms
	f.Terms = old
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
	f.Terms = fresh
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnproven, "older than the boot")
	f.HostNetwork = func(context.Context, []string) (map[string]bool, error) { return nil, errors.New("no") }
	f.Terms = old
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnproven, "positive control failed")
}

// With nothing running, something else must show that the list is this node's.
func TestProofOfAnIdleNode(t *testing.T) {
	old := func() (hostgc.Terms, error) {
		return hostgc.Terms{Now: time.Now().Add(9 * time.Hour), Boot: time.Now().Add(3 * time.Hour), Uptime: 6 * time.Hour}, nil
	}
	idle := func(t *testing.T) *fakenode.Fake {
		f := fakenode.New(t)
		f.Terms = old
		f.Listed["down"] = hostgc.StateNotReady
		f.Write("a/gone.1")
		return f
	}
	f := idle(t)
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnproven, "--accept-idle-node")

	f = idle(t)
	f.Self = []string{"down"}
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")

	f = idle(t)
	f.Containers = func() []string { return []string{"c"} }
	f.Claims = []hostgc.Claim{{Ref: fakenode.Sandbox("c"), Witness: "proc", Detail: "a container's process"}}
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")

	f = idle(t)
	delete(f.Listed, "down")
	f.Self = []string{"down"}
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnproven, "no sandbox at all")
}

// withPod makes every object name a pod, as results do.
func withPod(f *fakenode.Fake, uid string) {
	f.Inspect = func(o *hostgc.Object, _ []byte) {
		o.Refs = append(o.Refs, hostgc.Ref{Space: hostgc.SpacePod, Key: uid})
	}
}

// Where /proc does not show the host, a running pod without a listed sandbox
// keeps what has its UID.
func TestPodVeto(t *testing.T) {
	f := fakenode.New(t)
	f.WithAPI()
	withPod(f, "uid")
	f.Listed["up"], f.Pod["up"] = hostgc.StateReady, "other"
	f.API = []string{"other", "uid"}
	f.Write("a/up.1", "a/gone.1")
	pass(t, f).want(t, "/a/gone.1", hostgc.Live, hostgc.RuleClaimed, "uid runs")

	f.Listed["new"], f.Pod["new"] = hostgc.StateReady, "uid" // the pod has another sandbox
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")

	f.API = []string{"elsewhere"}
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnheard, "wrong cluster")

	f.Broken["kubeapi"] = errors.New("403")
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnheard, "403")

	f.Pods = nil
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnheard, "hostPID: true")

	f.PodsNeeded = false // a disk that is not running
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
}

// Where /proc shows the host, the API server is not even asked.
func TestAPIIsNotAskedWithAFullLocalView(t *testing.T) {
	f := fakenode.New(t)
	proc := f.Witnesses
	f.WithAPI()
	f.Witnesses = proc
	f.Broken["kubeapi"] = errors.New("away")
	f.Listed["up"] = hostgc.StateReady
	f.Write("a/up.1", "a/gone.1")
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
	if f.Asked["kubeapi"] != 0 {
		t.Errorf("the API server was asked %d times", f.Asked["kubeapi"])
	}
	f.Sees = func() bool { return false } // a /proc, but not shown to be the host's
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnheard, "away")
}

func TestClockThatCannotBeRead(t *testing.T) {
	f := fakenode.New(t)
	f.Write("a/gone.1")
	f.Terms = func() (hostgc.Terms, error) { return hostgc.Terms{}, errors.New("no clock") }
	err := f.Pass(t.Context(), &seen{})
	if err == nil || !strings.Contains(err.Error(), "no clock") {
		t.Errorf("got %v", err)
	}
}

// A /proc in which hostgc finds no pod's process but its own may be that of its
// own pod: it does not stand for the host's.
func TestOwnProcessIsNoViewOfTheHost(t *testing.T) {
	f := fakenode.New(t)
	proc := f.Witnesses
	f.WithAPI()
	f.Witnesses = proc
	f.Sees = func() bool { return false }
	f.Broken["kubeapi"] = errors.New("away")
	f.Listed["up"], f.Listed["own"] = hostgc.StateReady, hostgc.StateReady
	f.Self = []string{"own"}
	f.Claims = []hostgc.Claim{{Ref: fakenode.Sandbox("own"), Witness: "proc", Detail: "process 7"}}
	f.Write("a/up.1", "a/gone.1")
	pass(t, f).want(t, "/a/gone.1", hostgc.Unknown, hostgc.RuleUnheard, "away")
	f.Claims = append(f.Claims, hostgc.Claim{Ref: fakenode.Sandbox("up"), Witness: "proc", Detail: "process 8"})
	pass(t, f).want(t, "/a/gone.1", hostgc.Garbage, hostgc.RuleAbsent, "")
}
