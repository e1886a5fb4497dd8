package e2e

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/e2e/bed"
)

// collected are the kinds that hostgc removes by default.
var collected = []string{"multus-results", "multus-delegates", "cni-results", "flannel-delegates"}

// sweepRemovesStale runs a sweep and holds the whole list of the node's CNI
// files against what the runtime itself knew before: what was of no sandbox of
// its is gone, all else is there, and a second sweep finds nothing.
func sweepRemovesStale(t *testing.T, n *bed.Node) bed.Report {
	t.Helper()
	before := n.Files()
	live, stale := bed.Split(before, n.Known())
	want := paths(live)
	var garbage []string
	for _, f := range stale {
		if slices.Contains(collected, f.Kind) {
			garbage = append(garbage, f.Path)
		} else {
			want = append(want, f.Path)
		}
	}
	slices.Sort(want)
	report := n.Sweep()
	if report.Exit != 0 {
		t.Errorf("sweep ended with %d: %s", report.Exit, report.Stderr)
	}
	if diff := cmp.Diff(want, paths(n.Files())); diff != "" {
		t.Errorf("files on the node after the sweep (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(garbage, report.Garbage()); diff != "" {
		t.Errorf("what hostgc reports as garbage (-want +got):\n%s", diff)
	}
	if t.Failed() {
		for _, f := range stale {
			t.Log(report.Why(f.Path))
		}
	}
	for _, kind := range collected {
		if got, want := report.Removed(kind), count(stale, kind); got != want {
			t.Errorf("hostgc reports %d of %s removed, want %d", got, kind, want)
		}
	}
	if again := n.Sweep(); again.Exit != 0 || len(again.Garbage()) != 0 {
		t.Errorf("second sweep: exit %d, garbage %v", again.Exit, again.Garbage())
	}
	return report
}

// sweepRemovesNothing runs a sweep on a node whose every file is needed yet.
func sweepRemovesNothing(t *testing.T, n *bed.Node) bed.Report {
	t.Helper()
	before := paths(n.Files())
	report := n.Sweep()
	if diff := cmp.Diff(before, paths(n.Files())); diff != "" {
		t.Errorf("the sweep removed or made files (-before +after):\n%s", diff)
	}
	if garbage := report.Garbage(); len(garbage) != 0 {
		t.Errorf("hostgc calls garbage what the runtime may need: %v", garbage)
	}
	return report
}

// allWork checks that pods can be entered, have their IPs and answer.
func allWork(t *testing.T, n *bed.Node, pods ...*bed.Pod) {
	t.Helper()
	for _, p := range pods {
		if err := n.Works(p.Container, p.IP); err != nil {
			t.Errorf("pod %s: %v", p.Name, err)
		}
	}
}

// allDelete deletes the pods and checks that CNI DEL found all that it needed:
// no file of theirs stays.
func allDelete(t *testing.T, n *bed.Node, pods ...*bed.Pod) {
	t.Helper()
	var sandboxes []string
	for _, p := range pods {
		if err := n.RemovePod(p); err != nil {
			t.Error(err)
		}
		sandboxes = append(sandboxes, p.Sandbox)
	}
	n.WaitNoFilesOf(sandboxes...)
}

func paths(files []bed.File) []string {
	var p []string
	for _, f := range files {
		p = append(p, f.Path)
	}
	return p
}

func count(files []bed.File, kind string) int {
	n := 0
	for _, f := range files {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// wantStale fails the test unless the node has stale files of exactly these
// kinds: a test whose leak did not happen proves nothing.
func wantStale(t *testing.T, n *bed.Node, kinds ...string) {
	t.Helper()
	_, stale := bed.Split(n.Files(), n.Known())
	var got []string
	for _, f := range stale {
		if !slices.Contains(got, f.Kind) {
			got = append(got, f.Kind)
		}
	}
	slices.Sort(got)
	slices.Sort(kinds)
	if diff := cmp.Diff(kinds, got); diff != "" {
		t.Fatalf("kinds of stale files on the node (-want +got):\n%s", diff)
	}
}
