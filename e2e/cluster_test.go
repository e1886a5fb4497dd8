package e2e

import (
	"testing"

	"github.com/hostgc/hostgc/e2e/bed"
)

// cluster is a cluster with three pods of two networks each: web (2) and db-0.
func cluster(t *testing.T, multus bed.Multus) *bed.Cluster {
	t.Helper()
	bed.Require(t, "containerd", "runc", "app", "bridge", "multus", "etcd", "kube-apiserver", "kubelet")
	if multus == bed.Thick || multus == bed.ThickList {
		bed.Require(t, "multus-daemon")
	}
	c := bed.UpCluster(t, multus)
	c.Allow()
	c.Apply(bed.Workloads)
	c.WaitPods(3)
	return c
}

// restart boots a node after a power cut and starts its programs.
func restart(c *bed.Cluster) {
	c.Boot()
	c.StartContainerd()
	c.StartKubelet()
}

// deletesCleanly deletes all pods and checks that each CNI DEL found what it
// needed: no file of a sandbox that the runtime knew stays.
func deletesCleanly(t *testing.T, c *bed.Cluster) {
	t.Helper()
	sandboxes := c.SandboxIDs()
	c.Scale(0, 0)
	c.WaitPods(0)
	c.WaitNoFilesOf(sandboxes...)
}

func TestClusterNormalDeletes(t *testing.T) {
	c := cluster(t, bed.Thin)
	old := c.SandboxIDs()
	sweepRemovesNothing(t, c.Node)
	for _, p := range c.Pods() {
		c.DeletePod(p.Name)
	}
	c.WaitPods(3)
	c.WaitForgotten(old...)
	c.WaitNoFilesOf(old...)
	sweepRemovesNothing(t, c.Node)
	c.WaitPods(3)
	deletesCleanly(t, c)
}

// The pod that a StatefulSet makes anew has the name of the one whose files
// leaked.
func TestClusterStatefulSetPodMadeAnew(t *testing.T) {
	c := cluster(t, bed.Thin)
	leak(t, c, "db-0")
	wantStale(t, c.Node, "multus-delegates", "multus-results", "host-local-ips")
	sweepRemovesStale(t, c.Node)
	c.WaitPods(3)
	deletesCleanly(t, c)
}

// leak deletes a pod after its delegates file was torn, as a power cut does
// it: its results and IPs stay for good. A new pod takes its place.
func leak(t *testing.T, c *bed.Cluster, pod string) {
	t.Helper()
	sandbox := c.SandboxOf(pod)
	c.Truncate("/var/lib/cni/multus/"+sandbox, 0)
	c.DeletePod(pod)
	c.Forget(sandbox)
	c.WaitPods(3)
}

// A static pod's K8S_POD_UID is a hash of its file, and not the UID that the
// API server shows.
func TestClusterStaticPod(t *testing.T) {
	c := cluster(t, bed.Thin)
	c.StaticPod("static", staticPod)
	c.WaitPods(4)
	sweepRemovesNothing(t, c.Node)
	c.PowerCut()
	c.WipeRuntime()
	restart(c)
	c.WaitPods(4)
	sweepRemovesStale(t, c.Node)
	c.WaitPods(4)
	sandbox := c.SandboxOf("static-" + bed.NodeName)
	c.RemoveStaticPod("static")
	c.Forget(sandbox)
	c.WaitNoFilesOf(sandbox)
	deletesCleanly(t, c)
}

const staticPod = `
apiVersion: v1
kind: Pod
metadata: {name: static, namespace: default, annotations: {k8s.v1.cni.cncf.io/networks: net2}}
spec:
  terminationGracePeriodSeconds: 2
  containers: [{name: app, image: "` + bed.Image + `", imagePullPolicy: Never, args: [http]}]
`
