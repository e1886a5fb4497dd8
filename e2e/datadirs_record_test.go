package e2e

import (
	"strings"
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// A container that joins a shim from before the upgrade runs with that shim,
// while containerd records the new release's for it: no process runs from that
// one, and without it containerd drops the container at its next start.
func TestRuntimeDataDirRecordAlone(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	n.RunGrouped("first", "group")
	n.Upgrade(v133)
	n.RunGrouped("second", "group")
	n.Upgrade(v134)
	for _, line := range n.KeptBy(v133) {
		if strings.HasPrefix(line, "processes") {
			t.Fatalf("a process runs from it, so this shows nothing: %s", line)
		}
	}
	sweepLeaves(t, n, v132, v133, v134)
	keptBy(t, n, v133, "bundles", "on record", "/default/second/shim-binary-path")
	groupRunsOn(t, n, "first", "second")
	n.RemoveGrouped("second")
	sweepLeaves(t, n, v132, v134)
	groupRunsOn(t, n, "first")
	n.RemoveGrouped("first")
	sweepLeaves(t, n, v134)
}

// groupRunsOn is runOn for containers without a pod.
func groupRunsOn(t *testing.T, n *bed.RKE2, names ...string) {
	t.Helper()
	n.RestartRelease()
	for _, name := range names {
		if err := n.GroupedWorks(name); err != nil {
			t.Error(err)
		}
	}
}
