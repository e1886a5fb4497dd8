package e2e

import (
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// Kubelet or containerd is killed in the middle of a deletion, and the pod is
// force-deleted. What is half gone is theirs to finish.
func TestClusterKilledInMidDeletion(t *testing.T) {
	for name, kill := range map[string]func(*bed.Cluster){
		"kubelet":    func(c *bed.Cluster) { c.KillKubelet() },
		"containerd": func(c *bed.Cluster) { c.KillContainerd() },
	} {
		t.Run(name, func(t *testing.T) {
			c := cluster(t, bed.Thin)
			sandbox := c.SandboxOf("db-0")
			c.DeletePod("db-0")
			c.WaitDying(sandbox)
			kill(c)
			c.ForceDeletePod("db-0")
			c.WaitPlugins()
			sweepRemovesNothing(t, c.Node)
			if name == "kubelet" {
				c.StartKubelet()
			} else {
				c.StartContainerd()
			}
			c.WaitPods(3)
			c.Forget(sandbox)
			c.WaitNoFilesOf(sandbox)
			sweepRemovesNothing(t, c.Node)
			deletesCleanly(t, c)
		})
	}
}

// The node cleans itself with what it knows locally; without its runtime it
// knows nothing.
func TestClusterPeersDown(t *testing.T) {
	c := cluster(t, bed.Thin)
	t.Run("API server down", func(t *testing.T) {
		leak(t, c, "db-0")
		c.StopAPIServer()
		sweepRemovesStale(t, c.Node)
		c.StartAPIServer()
		c.WaitPods(3)
	})
	t.Run("kubelet down", func(t *testing.T) {
		leak(t, c, "db-0")
		c.StopKubelet()
		sweepRemovesStale(t, c.Node)
		c.StartKubelet()
		c.WaitPods(3)
	})
	t.Run("containerd down", func(t *testing.T) {
		leak(t, c, "db-0")
		c.StopContainerd()
		if exit := sweepRemovesNothing(t, c.Node).Exit; exit != 3 {
			t.Errorf("exit code %d, want 3: a needed witness was mute", exit)
		}
		c.StartContainerd()
		c.WaitPods(3)
		sweepRemovesStale(t, c.Node)
	})
	t.Run("RBAC taken away", func(t *testing.T) {
		leak(t, c, "db-0")
		c.Forbid()
		sweepRemovesStale(t, c.Node)
		c.WaitPods(3)
	})
	deletesCleanly(t, c)
}
