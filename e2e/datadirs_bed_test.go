package e2e

import (
	"testing"
)

// What the tests of data directories look for is what breaks when one goes too
// early: exec in a pod whose shim's release is gone, and a container of which
// that is on record alone, at containerd's next start.
func TestBedDataDirGoneTooEarly(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	pod := n.RunPod("pod", "uid-pod")
	n.RunGrouped("first", "group")
	n.Upgrade(v133)
	n.RunGrouped("second", "group")
	n.Upgrade(v134)
	n.RemoveRelease(v133)
	n.RestartRelease()
	if err := n.GroupedWorks("second"); err == nil {
		t.Error("the container runs on without the release that is on record for it")
	}
	if err := n.Works(pod.Container, pod.IP); err != nil {
		t.Errorf("the pod does not work, with its release: %v", err)
	}
	n.RemoveRelease(v132)
	if err := n.Works(pod.Container, pod.IP); err == nil {
		t.Error("exec works without the release of the shim")
	}
}
