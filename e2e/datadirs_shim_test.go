package e2e

import (
	"strings"
	"testing"
)

// What of a sandbox is left when its bundle is lost runs on with the old
// release, and nothing but its processes tells that.
func TestRuntimeDataDirLostBundle(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	lost, sound := n.RunPod("lost", "uid-lost"), n.RunPod("sound", "uid-sound")
	shim := n.Shim(lost)
	n.Upgrade(v133)
	n.Upgrade(v134)
	recreated(t, n, sound)
	n.StopContainerd()
	n.LoseBundles(lost)
	n.StartRelease()
	sweepLeaves(t, n, v132, v134)
	keptBy(t, n, v132, "processes", "process "+shim)
	for _, line := range n.KeptBy(v132) {
		if strings.HasPrefix(line, "bundles") {
			t.Errorf("a bundle is there yet, so this shows nothing: %s", line)
		}
	}
	n.KillLost(shim)
	sweepLeaves(t, n, v134)
	recreated(t, n, lost)
}

// A shim is killed: containerd calls the one of the old release to clean up
// after it, and another pod of that release goes on.
func TestRuntimeDataDirKilledShim(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	killed, old := n.RunPod("killed", "uid-killed"), n.RunPod("old", "uid-old")
	n.Upgrade(v133)
	n.KillShim(killed)
	sweepLeaves(t, n, v132, v133)
	runOn(t, n, old)
	recreated(t, n, killed, old)
	sweepLeaves(t, n, v133)
}

// A shim that is no part of RKE2 looks runc up in a PATH that leads into the
// release that was current when it was started.
func TestRuntimeDataDirCustomShim(t *testing.T) {
	n := rke2Node(t)
	n.InstallCustomShim("/opt/kata/bin/containerd-shim-kata-v2")
	n.Upgrade(v132)
	old := n.RunPod("old", "uid-old")
	n.Upgrade(v133)
	n.Upgrade(v134)
	sweepLeaves(t, n, v132, v134)
	keptBy(t, n, v132, "pod default/old", "PATH")
	runOn(t, n, old)
	recreated(t, n, old)
	sweepLeaves(t, n, v134)
}
