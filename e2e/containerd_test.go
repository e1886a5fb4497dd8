package e2e

import (
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// runtimeNode is a node with containerd and Multus, and no Kubernetes: pods
// are run by CRI, and each has two networks by Multus' own configuration.
func runtimeNode(t *testing.T) *bed.Node {
	t.Helper()
	bed.Require(t, "containerd", "runc", "app", "bridge", "multus")
	n := bed.Up(t)
	n.InstallCNI(map[string]string{"00-multus.conf": bed.MultusThin})
	n.StartContainerd()
	return n
}

func TestRuntimeHealthy(t *testing.T) {
	n := runtimeNode(t)
	a, b := n.RunPod("a", "uid-a"), n.RunPod("b", "uid-b")
	sweepRemovesNothing(t, n)
	allWork(t, n, a, b)
	allDelete(t, n, a, b)
}

// A sandbox that is listed NOTREADY has no process and no network, and will
// get another CNI DEL.
func TestRuntimeStoppedSandbox(t *testing.T) {
	n := runtimeNode(t)
	a, b := n.RunPod("a", "uid-a"), n.RunPod("b", "uid-b")
	restore := n.FailCNI("bridge")
	if err := n.StopPod(b); err == nil {
		t.Fatal("CNI DEL succeeded without its plugin")
	}
	restore()
	sweepRemovesNothing(t, n)
	allWork(t, n, a)
	allDelete(t, n, a)
}

// The power fails and the runtime's root is wiped: the same pods come back,
// with the same names and UIDs, in new sandboxes.
func TestRuntimePowerCutAndWipe(t *testing.T) {
	n := runtimeNode(t)
	n.RunPod("a", "uid-a")
	n.RunPod("b", "uid-b")
	n.PowerCut()
	n.WipeRuntime()
	n.Boot()
	n.StartContainerd()
	a, b := n.RunPod("a", "uid-a"), n.RunPod("b", "uid-b")
	wantStale(t, n, "multus-delegates", "multus-results", "cni-results", "host-local-ips")
	sweepRemovesStale(t, n)
	allWork(t, n, a, b)
	allDelete(t, n, a, b)
}

// Everything is killed and the runtime's root is wiped, without a reboot: the
// network namespaces stay mounted and their veths up, with no process inside.
func TestRuntimeKilledAllAndWipe(t *testing.T) {
	n := runtimeNode(t)
	n.RunPod("a", "uid-a")
	n.KillAll()
	n.WipeRuntime()
	n.StartContainerd()
	a := n.RunPod("a", "uid-a")
	if nets, err := n.Exec("sh", "-c", "ls /run/netns | wc -l"); err != nil || nets != "2\n" {
		t.Fatalf("network namespaces on the node: %q, %v; want the stale one beside the new one", nets, err)
	}
	wantStale(t, n, "multus-delegates", "multus-results", "cni-results", "host-local-ips")
	sweepRemovesStale(t, n)
	allWork(t, n, a)
	allDelete(t, n, a)
}

// One CNI DEL of a delegate fails once. Multus drops its record of the
// delegates all the same, and the repeated DEL calls nobody.
func TestRuntimeFailedDel(t *testing.T) {
	n := runtimeNode(t)
	a, b := n.RunPod("a", "uid-a"), n.RunPod("b", "uid-b")
	restore := n.FailCNI("bridge")
	if err := n.StopPod(b); err == nil {
		t.Fatal("CNI DEL succeeded without its plugin")
	}
	restore()
	if err := n.RemovePod(b); err != nil {
		t.Fatal(err)
	}
	wantStale(t, n, "multus-results", "host-local-ips")
	report := sweepRemovesStale(t, n)
	if got := report.Causes("multus-results"); got != "delegate-del-failed" {
		t.Errorf("cause %q, want delegate-del-failed", got)
	}
	allWork(t, n, a)
	allDelete(t, n, a)
}

// A power cut leaves the delegates file empty or cut short: CNI DEL succeeds,
// and calls nobody.
func TestRuntimeTornDelegates(t *testing.T) {
	for name, size := range map[string]int64{"empty": 0, "cut short": 100} {
		t.Run(name, func(t *testing.T) {
			n := runtimeNode(t)
			a, b := n.RunPod("a", "uid-a"), n.RunPod("b", "uid-b")
			n.Truncate("/var/lib/cni/multus/"+b.Sandbox, size)
			sweepRemovesNothing(t, n)
			if err := n.RemovePod(b); err != nil {
				t.Fatal(err)
			}
			wantStale(t, n, "multus-delegates", "multus-results", "host-local-ips")
			sweepRemovesStale(t, n)
			allWork(t, n, a)
			allDelete(t, n, a)
		})
	}
}

// Without its runtime hostgc cannot know what is alive.
func TestRuntimeDown(t *testing.T) {
	n := runtimeNode(t)
	a, b := n.RunPod("a", "uid-a"), n.RunPod("b", "uid-b")
	n.Truncate("/var/lib/cni/multus/"+b.Sandbox, 0)
	if err := n.RemovePod(b); err != nil {
		t.Fatal(err)
	}
	n.KillContainerd()
	if exit := sweepRemovesNothing(t, n).Exit; exit != 3 {
		t.Errorf("exit code %d, want 3: a needed witness was mute", exit)
	}
	n.StartContainerd()
	sweepRemovesStale(t, n)
	allWork(t, n, a)
	allDelete(t, n, a)
}
