package bed

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const hostgcNamespace = "hostgc" // as the manifests have it

// What the tests change in the manifests: nobody can wait for hours. Ten
// seconds are longer than the ADD of a pod takes that is made meanwhile.
const podConfig = "interval: 3s\njitter: 0s\nsettle: 1s\n"

var podArgs = []any{"--min-age=10s", "--unsafe-short-age"}

// DeployHostgc runs hostgc as the DaemonSet of the plain manifests, with the
// privileges and the permissions that they declare, and waits until it is
// ready. Its image must have been imported.
func (c *Cluster) DeployHostgc() *HostgcPod {
	c.t.Helper()
	c.must(c.serveAPI(), "give the API server's service its address")
	for _, o := range c.Manifests("--kustomize", "kustomize") {
		c.must(adapt(&o), "adapt the manifests")
		doc, err := yaml.Marshal(o.Object)
		c.must(err, "write a manifest")
		c.Apply(string(doc))
	}
	var pod *HostgcPod
	c.must(eventually(2*time.Minute, func() (err error) {
		pod, err = c.hostgcPod()
		return err
	}), "wait for hostgc's pod to be ready")
	return pod
}

// serveAPI does what kube-proxy does for the one service that hostgc uses.
func (c *Cluster) serveAPI() error {
	_, err := c.Exec("iptables", "-w", "-t", "nat", "-A", "OUTPUT", "-d", "10.96.0.1", "-p", "tcp", "--dport", "443",
		"-j", "DNAT", "--to-destination", NodeIP+":6443")
	return err
}

// adapt has the DaemonSet run the imported image, and the configuration not
// wait.
func adapt(o *unstructured.Unstructured) error {
	switch o.GetKind() {
	case "ConfigMap":
		config, _, err := unstructured.NestedString(o.Object, "data", "hostgc.yaml")
		if err != nil {
			return err
		}
		return unstructured.SetNestedField(o.Object, podConfig+config, "data", "hostgc.yaml")
	case "DaemonSet":
		path := []string{"spec", "template", "spec", "containers"}
		containers, _, err := unstructured.NestedSlice(o.Object, path...)
		if err != nil || len(containers) != 1 {
			return fmt.Errorf("the DaemonSet has %d containers: %w", len(containers), err)
		}
		container := containers[0].(map[string]any)
		container["image"], container["imagePullPolicy"] = HostgcImage, "Never"
		container["args"] = append(container["args"].([]any), podArgs...)
		return unstructured.SetNestedSlice(o.Object, containers, path...)
	}
	return nil
}

// HostgcPod is the pod of hostgc's DaemonSet.
type HostgcPod struct {
	c        *Cluster
	UID      string
	Restarts int32
}

// hostgcPod gives the pod of the DaemonSet if it is ready.
func (c *Cluster) hostgcPod() (*HostgcPod, error) {
	list, err := c.API.CoreV1().Pods(hostgcNamespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	if len(list.Items) != 1 {
		return nil, fmt.Errorf("there are %d", len(list.Items))
	}
	p := list.Items[0]
	if !isReady(p) {
		return nil, fmt.Errorf("%s: %v; its log: %s", p.Status.Phase, p.Status.ContainerStatuses, c.hostgcLog(p))
	}
	return &HostgcPod{c, string(p.UID), p.Status.ContainerStatuses[0].RestartCount}, nil
}

func (c *Cluster) hostgcLog(p corev1.Pod) string {
	log, err := c.Exec("sh", "-c", "tail -n 20 /var/log/pods/"+hostgcNamespace+"_"+p.Name+"_*/hostgc/*.log")
	if err != nil {
		return err.Error()
	}
	return log
}

// Now looks at the pod again. It fails the test unless the pod is ready.
func (h *HostgcPod) Now() *HostgcPod {
	h.c.t.Helper()
	p, err := h.c.hostgcPod()
	h.c.must(err, "look at hostgc's pod")
	return p
}

// Delete deletes the DaemonSet, and waits until kubelet has nothing more of
// its pod: neither a directory nor a mount.
func (h *HostgcPod) Delete() {
	h.c.t.Helper()
	err := h.c.API.AppsV1().DaemonSets(hostgcNamespace).Delete(context.Background(), "hostgc", metav1.DeleteOptions{})
	h.c.must(err, "delete the DaemonSet")
	h.c.WaitNoFile("/var/lib/kubelet/pods/" + h.UID)
	mounts, err := h.c.Exec("cat", "/proc/1/mountinfo")
	h.c.must(err, "read the node's mounts")
	if strings.Contains(mounts, h.UID) {
		h.c.t.Errorf("mounts of hostgc's pod stay on the node:\n%s", mounts)
	}
}
