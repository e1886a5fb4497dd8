package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/config"
)

// quick is a configuration with which cycles follow each other at once, and
// which leaves no trace on the machine of the test.
const quick = "settle: 0s\ninterval: 1ms\njitter: 0s\nstateDir: \"\"\nlisten: \"\"\n"

// runAgent runs the agent on a recorded node, and calls each at the beginning
// of each cycle but the first, until it says that it is enough.
func runAgent(t *testing.T, n recorded, r *runtimeOf, content string, each func(cycle int) (enough bool)) string {
	t.Helper()
	file := filepath.Join(n.dir, "hostgc.yaml")
	n.write("hostgc.yaml", content)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cycle := 0
	r.asked = func() {
		if cycle++; cycle > 1000 || cycle > 1 && each(cycle-1) {
			stop()
		}
	}
	var out, errs bytes.Buffer
	if code := run(ctx, append(liveArgs(n, "run"), "--config", file, "--log-level", "info"), &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if cycle > 1000 {
		t.Error("not finished in a thousand cycles")
	}
	return errs.String()
}

// A hang-up makes the agent take up what the operator wrote, and refuse what
// is wrong, while it runs.
func TestRunReloads(t *testing.T) {
	// The last hang-up may arrive when the agent has ended, and would end the test.
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGHUP)
	defer signal.Stop(ignored)
	n, r := alive(t, "killed-all")
	all, want := n.files(), n.withoutGarbage()
	report := quick + "kinds: {cni-results: {mode: report}, multus-results: {mode: report}, multus-delegates: {mode: report}, flannel-delegates: {mode: report}}\n"
	log := runAgent(t, n, r, report, func(cycle int) bool {
		switch cycle {
		case 3:
			n.write("hostgc.yaml", "kinds: {multus-results: {mod: enforce}}")
		case 20:
			n.write("hostgc.yaml", quick)
		}
		if cycle <= 20 && len(n.files()) != len(all) {
			t.Errorf("something was removed before cycle %d", cycle)
			return true
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Error(err)
		}
		return len(n.files()) == len(want)
	})
	if diff := cmp.Diff(want, n.files()); diff != "" {
		t.Errorf("files that are left (-want +got):\n%s", diff)
	}
	for _, says := range []string{"the configuration is refused", `unknown field \"mod\"`, "a new configuration is in use"} {
		if !strings.Contains(log, says) {
			t.Errorf("the log does not say %q", says)
		}
	}
}

// What the operator wants kept stays, and the rest goes.
func TestRunKeeps(t *testing.T) {
	n, r := alive(t, "killed-all")
	want := n.withoutGarbage()
	kept := slices.DeleteFunc(n.files(), func(f string) bool {
		return slices.Contains(want, f) || !strings.HasPrefix(f, "/var/lib/cni/multus/results")
	})
	content := quick + "keep: [/var/lib/cni/multus/results]\n"
	runAgent(t, n, r, content, func(cycle int) bool { return cycle == 8 })
	want = append(want, kept...)
	slices.Sort(want)
	if diff := cmp.Diff(want, n.files(), cmp.Transformer("sorted", func(f []string) []string { return slices.Sorted(slices.Values(f)) })); diff != "" || len(kept) == 0 {
		t.Errorf("files that are left (-want +got), of which %d are kept:\n%s", len(kept), diff)
	}
}

// While no window is open the agent only reports.
func TestRunOutsideOfWindows(t *testing.T) {
	n, r := alive(t, "killed-all")
	before := n.files()
	yesterday := time.Now().UTC().Add(-48 * time.Hour).Format("Mon")
	log := runAgent(t, n, r, quick+"windows: [{days: ["+yesterday+"]}]\n", func(cycle int) bool { return cycle == 6 })
	if diff := cmp.Diff(before, n.files()); diff != "" {
		t.Errorf("files that are left (-want +got):\n%s", diff)
	}
	if !strings.Contains(log, "garbage=24") {
		t.Errorf("the garbage is not reported:\n%s", log)
	}
}

func TestKeepOrder(t *testing.T) {
	w, _ := agentOf(t, "keep: [net1]\n")
	o := hostgc.Object{Dir: "/a", Name: "b", Owner: hostgc.Owner{Network: "net1"}}
	if why := w.keep()(o); !strings.Contains(why, "net1") {
		t.Errorf("%q", why)
	}
	never := config.Window{Days: []string{time.Now().UTC().Add(-48 * time.Hour).Format("Mon")}}
	var err error
	if w.settings.calendar, err = (config.Config{Windows: []config.Window{never}}).Calendar(); err != nil {
		t.Fatal(err)
	}
	o.Owner.Network = "net2"
	if why := w.keep()(o); !strings.Contains(why, "no maintenance window is open") {
		t.Errorf("%q", why)
	}
}

// The ramp goes on where it was before a restart.
func TestRunRemembersItsRamp(t *testing.T) {
	n, r := alive(t, "killed-all")
	state := filepath.Join(n.dir, "state")
	content := strings.Replace(quick, `stateDir: ""`, "stateDir: "+state, 1)
	var before, after []int
	runAgent(t, n, r, content, func(int) bool { before = append(before, len(n.files())); return len(before) == 2 })
	s, err := agent.Load(state, kindNames())
	if err != nil || s.Rounds["multus-results"] != 1 || s.Removed["multus-results"] != 10 {
		t.Fatalf("%v: %+v", err, s)
	}
	runAgent(t, n, r, content, func(int) bool { after = append(after, len(n.files())); return len(after) == 2 })
	if got := []int{before[0] - before[1], after[0] - after[1]}; !slices.Equal(got, []int{30, 25}) {
		t.Errorf("removed by the second cycles: %v, want 30 by the ramp's first step and all the rest by its second", got)
	}
}

// systemd is told when the agent is ready, that it lives, and that it stops.
func TestRunNotifies(t *testing.T) {
	n, r := alive(t, "killed-all")
	name := "@hostgc-test-" + filepath.Base(filepath.Dir(t.TempDir()))
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	t.Setenv("NOTIFY_SOCKET", name)
	runAgent(t, n, r, quick, func(int) bool { return true })
	var told []string
	for b := make([]byte, 64); len(told) == 0 || told[len(told)-1] != agent.NotifyStopping; {
		k, err := l.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, string(b[:k]))
	}
	if told[0] != agent.NotifyReady || !slices.Contains(told, agent.NotifyAlive) {
		t.Errorf("told %v", told)
	}
}

// A node that cannot be told of is no reason not to run, but an address that
// is taken is.
func TestRunAddressIsTaken(t *testing.T) {
	n, _ := alive(t, "killed-all")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, stderr := cli(t, exitFailed, append(liveArgs(n, "run"), "--state-dir", "", "--listen", l.Addr().String())...)
	if !strings.Contains(stderr, "address already in use; --listen gives another") {
		t.Errorf("%s", stderr)
	}
}
