package e2e

import (
	"strings"
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// v130 is the last release line with containerd 1.
var v130 = bed.Release("v1.30.14-rke2r1")

// The case of rke2#10613: a pod of containerd 1 is there when RKE2 comes with
// containerd 2, one container of it is created anew, and RKE2 is upgraded again.
// No process runs from the release between, and containerd needs it.
func TestRuntimeDataDirFromContainerd1(t *testing.T) {
	n := rke2Node(t)
	bed.RequireContainerd1(t, n)
	n.Containerd1 = v130
	n.Upgrade(v130)
	n.RestartRelease() // its CRI learns only so of an image that a newer ctr has imported
	renewed, left := n.RunPod("renewed", "uid-renewed"), n.RunPod("left", "uid-left")
	n.Upgrade(v132)
	n.RecreateContainer(renewed)
	n.Upgrade(v133)
	for _, line := range n.KeptBy(v132) {
		if strings.HasPrefix(line, "processes") {
			t.Fatalf("a process runs from it, so this shows nothing: %s", line)
		}
	}
	sweepLeaves(t, n, v130, v132, v133)
	keptBy(t, n, v132, "bundles", "pod default/renewed", "on record", renewed.Container)
	runOn(t, n, renewed, left)
	recreated(t, n, renewed)
	sweepLeaves(t, n, v130, v133)
	runOn(t, n, left)
	recreated(t, n, left)
	sweepLeaves(t, n, v133)
}
