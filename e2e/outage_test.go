package e2e

import (
	"testing"
	"time"

	"github.com/hostgc/hostgc/e2e/bed"
)

// The outage: the pod network has five addresses, five pods held them when the
// power failed, and the wiped runtime frees none. All pods of the network are
// stuck, none has a ready sandbox, and their UIDs are those of the stale files.
// Only a pod on the host's network, as hostgc's own is, shows that the
// runtime's list is this node's.
//
// The addresses are host-local's: freeing them, and with it the cure, is the
// matter of the kind host-local-ips. Until it removes, this test proves that
// the rest is cleaned in the very outage, and nothing else touched.
func TestClusterOutage(t *testing.T) {
	c := cluster(t, bed.Tiny)
	c.StaticPod("agent", agentPod)
	c.Scale(0, 5)
	c.WaitPods(6)
	c.PowerCut()
	c.WipeRuntime()
	booted := time.Now()
	restart(c)
	c.SandboxOf("agent-" + bed.NodeName)
	c.WaitEvent("no IP addresses available", booted)
	c.StopKubelet() // its attempts make and remove files
	c.WaitPlugins()
	wantStale(t, c.Node, "multus-delegates", "multus-results", "cni-results", "host-local-ips")
	sweepRemovesStale(t, c.Node)
	c.StartKubelet()
}

const agentPod = `
apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: default}
spec:
  hostNetwork: true
  terminationGracePeriodSeconds: 2
  containers: [{name: app, image: "` + bed.Image + `", imagePullPolicy: Never, args: [http]}]
`
