package bed

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

//go:embed kubelet.yaml
var kubeletConfig string // CGROUP stands for the name of the node's cgroup

// StartKubelet starts kubelet and waits until the node is ready.
func (c *Cluster) StartKubelet() {
	c.t.Helper()
	c.must(c.startKubelet(), "start kubelet")
	c.must(eventually(90*time.Second, c.nodeReady), "wait for the node to be ready")
}

func (c *Cluster) startKubelet() error {
	program, err := c.tool("kubelet")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.layout.share("static-pods"), 0o755); err != nil {
		return err
	}
	config := strings.ReplaceAll(kubeletConfig, "CGROUP", c.cgroup)
	if err := os.WriteFile(c.layout.share("kubelet.yaml"), []byte(config), 0o644); err != nil {
		return err
	}
	cmd := exec.Command(program, "--config="+shareDir+"/kubelet.yaml", "--kubeconfig="+shareDir+"/kubelet.kubeconfig",
		"--node-ip="+NodeIP, "--hostname-override="+NodeName, "--root-dir=/var/lib/kubelet", "--v=2")
	c.kubelet, err = c.inside.start("kubelet", c.layout.Run+"/log", cmd)
	return err
}

// nodeReady counts only what kubelet reported since it was started: the API
// server keeps the condition of before for a while.
func (c *Cluster) nodeReady() error {
	if !c.kubelet.running() {
		return fmt.Errorf("kubelet ended")
	}
	node, err := c.API.CoreV1().Nodes().Get(context.Background(), NodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, cond := range node.Status.Conditions {
		if cond.Type == corev1.NodeReady && cond.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("node conditions: %v", node.Status.Conditions)
}

// StopKubelet ends kubelet as systemd does.
func (c *Cluster) StopKubelet() { c.kubelet.stop() }

// KillKubelet ends kubelet with SIGKILL.
func (c *Cluster) KillKubelet() { c.kubelet.kill() }

// StaticPod has kubelet run a pod from a file.
func (c *Cluster) StaticPod(name, manifest string) {
	c.t.Helper()
	c.Share("static-pods/"+name+".yaml", []byte(manifest), 0o644)
}

// RemoveStaticPod takes the file away.
func (c *Cluster) RemoveStaticPod(name string) {
	c.t.Helper()
	c.must(os.Remove(c.layout.share("static-pods", name+".yaml")), "remove the static pod")
}
