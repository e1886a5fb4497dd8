package e2e

import (
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// One CNI DEL fails. Multus drops its delegates file all the same, and heals as
// long as it finds the pod in the API; a forced deletion takes it away.
func TestClusterFailedDel(t *testing.T) {
	for _, multus := range []bed.Multus{bed.Thin, bed.Thick} {
		t.Run(string(multus), func(t *testing.T) {
			c := cluster(t, multus)
			sandbox := c.SandboxOf("db-0")
			restore := c.FailCNI("bridge")
			c.DeletePod("db-0")
			c.WaitNoFile("/var/lib/cni/multus/" + sandbox)
			c.ForceDeletePod("db-0")
			restore()
			c.Forget(sandbox)
			c.WaitPods(3)
			wantStale(t, c.Node, "multus-results", "host-local-ips")
			if got := sweepRemovesStale(t, c.Node).Causes("multus-results"); got != "delegate-del-failed" {
				t.Errorf("cause %q, want delegate-del-failed", got)
			}
			c.WaitPods(3)
			deletesCleanly(t, c)
		})
	}
}

// A power cut leaves the delegates file cut short; the empty one is
// TestClusterStatefulSetPodMadeAnew's.
func TestClusterTruncatedDelegates(t *testing.T) {
	c := cluster(t, bed.Thin)
	sandbox := c.SandboxOf("db-0")
	c.Truncate("/var/lib/cni/multus/"+sandbox, 100)
	sweepRemovesNothing(t, c.Node)
	c.DeletePod("db-0")
	c.Forget(sandbox)
	c.WaitPods(3)
	wantStale(t, c.Node, "multus-delegates", "multus-results", "host-local-ips")
	if got := sweepRemovesStale(t, c.Node).Causes("multus-delegates"); got != "power-loss" {
		t.Errorf("cause %q, want power-loss", got)
	}
	c.WaitPods(3)
	deletesCleanly(t, c)
}

// The thick shim reports success for a CNI DEL that no daemon did. A daemon
// that was stopped in order took its CNI configuration away, so that the
// runtime deletes by the pod network's and never comes to its own entry.
func TestClusterThickDaemonDownAtDel(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(*bed.Cluster)
		stale []string
	}{
		"killed":  {(*bed.Cluster).KillMultus, []string{"multus-delegates", "multus-results", "host-local-ips"}},
		"stopped": {(*bed.Cluster).StopMultus, []string{"multus-delegates", "multus-results", "cni-results", "host-local-ips"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := cluster(t, bed.Thick)
			sandbox := c.SandboxOf("db-0")
			test.end(c)
			c.DeletePod("db-0")
			c.Forget(sandbox)
			c.StartMultus()
			c.WaitPods(3)
			wantStale(t, c.Node, test.stale...)
			sweepRemovesStale(t, c.Node)
			c.WaitPods(3)
			deletesCleanly(t, c)
		})
	}
}

// Nothing is done to this node: with its pod network as a conflist, Multus
// 4.2.3 leaks at each plain deletion.
func TestClusterThickWithConflist(t *testing.T) {
	c := cluster(t, bed.ThickList)
	sandbox := c.SandboxOf("db-0")
	c.DeletePod("db-0")
	c.Forget(sandbox)
	c.WaitPods(3)
	wantStale(t, c.Node, "multus-results", "host-local-ips")
	sweepRemovesStale(t, c.Node)
	c.WaitPods(3)
}
