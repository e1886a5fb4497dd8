package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/e2e/bed"
)

// All pods are force-deleted while the node is down. Their sandboxes come back
// NOTREADY, and kubelet needs their files to free what they hold.
func TestClusterPowerCutAndForcedDeletion(t *testing.T) {
	c := cluster(t, bed.Thin)
	old := c.SandboxIDs()
	c.PowerCut()
	for _, p := range c.Pods() {
		c.ForceDeletePod(p.Name)
	}
	c.Boot()
	c.StartContainerd()
	sweepRemovesNothing(t, c.Node)
	c.StartKubelet()
	c.WaitPods(3)
	sweepRemovesNothing(t, c.Node)
	c.WaitForgotten(old...)
	c.WaitNoFilesOf(old...)
	deletesCleanly(t, c)
}

// The same pods come back, with the same UIDs, in new sandboxes.
func TestClusterPowerCutAndWipe(t *testing.T) {
	c := cluster(t, bed.Thin)
	before := podUIDs(c)
	c.PowerCut()
	c.WipeRuntime()
	restart(c)
	c.WaitPods(3)
	if diff := cmp.Diff(before, podUIDs(c)); diff != "" {
		t.Fatalf("other pods came back (-before +after):\n%s", diff)
	}
	wantStale(t, c.Node, "multus-delegates", "multus-results", "cni-results", "host-local-ips")
	sweepRemovesStale(t, c.Node)
	c.WaitPods(3)
	deletesCleanly(t, c)
}

func TestClusterKilledAllAndWipe(t *testing.T) {
	c := cluster(t, bed.Thin)
	c.KillAll()
	c.WipeRuntime()
	c.StartContainerd()
	c.StartKubelet()
	c.WaitPods(3)
	wantStale(t, c.Node, "multus-delegates", "multus-results", "cni-results", "host-local-ips")
	sweepRemovesStale(t, c.Node)
	c.WaitPods(3)
	deletesCleanly(t, c)
}

// The power fails while twenty pods are made: some sandboxes have half of
// their files, and of some the runtime has no record. Those that it has one of
// stay listed NOTREADY for as long as kubelet keeps their dead containers.
func TestClusterPowerCutInTheMiddleOfAdd(t *testing.T) {
	c := cluster(t, bed.Thin)
	c.Scale(20, 1)
	c.WaitFiles("multus-delegates", 9)
	c.PowerCut()
	restart(c)
	c.WaitPods(21)
	sweepRemovesStale(t, c.Node)
	c.WaitPods(21)
	deletesCleanly(t, c)
}

func podUIDs(c *bed.Cluster) map[string]string {
	uids := map[string]string{}
	for _, p := range c.Pods() {
		uids[p.Name] = string(p.UID)
	}
	return uids
}
