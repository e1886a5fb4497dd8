package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/e2e/bed"
)

// The releases through which the nodes of these tests go.
var (
	v132 = bed.Release("v1.32.9-rke2r1")
	v133 = bed.Release("v1.33.5-rke2r1")
	v134 = bed.Release("v1.34.4-rke2r1")
)

func rke2Node(t *testing.T) *bed.RKE2 {
	t.Helper()
	bed.Require(t, "containerd", "runc", "app", "bridge")
	n := bed.UpRKE2(t)
	n.InstallCNI(map[string]string{"10-cbr0.conflist": bed.PodNetwork})
	return n
}

// sweepLeaves runs a sweep, after which these releases are there and no others,
// nor anything half removed.
func sweepLeaves(t *testing.T, n *bed.RKE2, want ...string) {
	t.Helper()
	report := n.Sweep()
	if report.Exit != 0 {
		t.Errorf("sweep ended with %d: %s", report.Exit, report.Stderr)
	}
	if diff := cmp.Diff(want, n.Releases()); diff != "" {
		t.Errorf("releases after the sweep (-want +got):\n%s", diff)
		for _, release := range []string{v132, v133, v134} {
			t.Log(report.Why(n.InRelease(release, "")))
		}
	}
}

// keptBy checks that hostgc explains what keeps a release, with these words in
// one line of it.
func keptBy(t *testing.T, n *bed.RKE2, release string, words ...string) {
	t.Helper()
	lines := n.KeptBy(release)
	all := func(line string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) })
	}
	if !slices.ContainsFunc(lines, all) {
		t.Errorf("no line of what keeps %s has all of %q:\n%s", release, words, strings.Join(lines, "\n"))
	}
}

// runOn checks that pods work, and still do when containerd has taken them
// over anew.
func runOn(t *testing.T, n *bed.RKE2, pods ...*bed.Pod) {
	t.Helper()
	allWork(t, n.Node, pods...)
	n.RestartRelease()
	allWork(t, n.Node, pods...)
}

// recreated deletes pods and runs them again under their names.
func recreated(t *testing.T, n *bed.RKE2, pods ...*bed.Pod) {
	t.Helper()
	allDelete(t, n.Node, pods...)
	for _, p := range pods {
		again := n.RunPod(p.Name, p.UID)
		allWork(t, n.Node, again)
		allDelete(t, n.Node, again)
	}
}
