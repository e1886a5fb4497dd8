package e2e

import (
	"strings"
	"testing"
)

// A pod that survives two upgrades keeps the release that it was started by,
// and not the one between.
func TestRuntimeDataDirUpgradedTwice(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	old := n.RunPod("old", "uid-old")
	n.Upgrade(v133)
	n.Upgrade(v134)
	young := n.RunPod("young", "uid-young")
	sweepLeaves(t, n, v132, v134)
	keptBy(t, n, v132, "pod default/old", old.Sandbox[:13], "still runs with the shim of v1.32.9", "delete the pod")
	keptBy(t, n, v132, "bundles", "on record")
	runOn(t, n, old, young)
	allDelete(t, n.Node, old)
	sweepLeaves(t, n, v134)
	runOn(t, n, young)
	recreated(t, n, old, young)
}

// After a reboot no process and no record is left of any old release. That is
// so whatever sandboxes are still listed; and one older release stays unless it
// is configured otherwise.
func TestRuntimeDataDirReboot(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	a := n.RunPod("a", "uid-a")
	n.Upgrade(v133)
	b := n.RunPod("b", "uid-b")
	n.Upgrade(v134)
	c := n.RunPod("c", "uid-c")
	sweepLeaves(t, n, v132, v133, v134)
	n.PowerCut()
	n.Boot()
	n.Upgrade(v134)
	n.Retain(-1)
	sweepLeaves(t, n, v133, v134)
	keptBy(t, n, v133, "retain: 1")
	n.Retain(0)
	sweepLeaves(t, n, v134)
	recreated(t, n, a, b, c)
}

// A rollback: the newer release waits for its next chance.
func TestRuntimeDataDirRolledBack(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	n.Upgrade(v133)
	n.Upgrade(v134)
	n.Upgrade(v133)
	pod := n.RunPod("pod", "uid-pod")
	sweepLeaves(t, n, v133, v134)
	keptBy(t, n, v134, "newer than the current")
	n.Upgrade(v134)
	sweepLeaves(t, n, v133, v134)
	runOn(t, n, pod)
	recreated(t, n, pod)
	sweepLeaves(t, n, v134)
}

// Before containerd is that of the release that was unpacked last, nobody knows
// whether that will be started; and without containerd, what it needs.
func TestRuntimeDataDirUpgradeUnderWay(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	n.Upgrade(v133)
	pod := n.RunPod("pod", "uid-pod")
	n.Begin(v134)
	sweepLeaves(t, n, v132, v133, v134)
	keptBy(t, n, v132, "the supervisor is not quiet", "may be unpacking")
	n.KillContainerd()
	sweepLeaves(t, n, v132, v133, v134)
	keptBy(t, n, v132, "positive control failed")
	n.StartRelease()
	sweepLeaves(t, n, v133, v134)
	runOn(t, n, pod)
	recreated(t, n, pod)
	sweepLeaves(t, n, v134)
}

// hostgc was killed when it had set two releases aside, of which one is in use:
// that one comes back, the other goes.
func TestRuntimeDataDirInterrupted(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	old := n.RunPod("old", "uid-old")
	n.Upgrade(v133)
	n.Upgrade(v134)
	n.SetAside(v132)
	n.SetAside(v133)
	report := n.Sweep()
	if report.Exit != 1 || !strings.Contains(report.Stderr, "may be in use: pod default/old") {
		t.Errorf("sweep ended with %d, and has to say what was in use: %s", report.Exit, report.Stderr)
	}
	sweepLeaves(t, n, v132, v134)
	runOn(t, n, old)
	recreated(t, n, old)
	sweepLeaves(t, n, v134)
}
