package bed

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// WidenPodNetwork gives the pod network 65,534 addresses: each leak costs some
// for good, as hostgc does not free them by default, and a churn of hours must
// not end for want of them. It must be called before the first pod.
func (c *Cluster) WidenPodNetwork() {
	c.t.Helper()
	conf := strings.ReplaceAll(thinConf, "10.42.0.0/24", "10.42.0.0/16")
	c.must(os.WriteFile(c.layout.disk("/etc/cni/net.d/00-multus.conf"), []byte(conf), 0o644), "widen the pod network")
}

// MakePod makes a pod with two networks that no controller owns. It is bound to
// the node, so that no scheduler stands between it and kubelet.
func (c *Cluster) MakePod(name string) error {
	no, grace := false, int64(1)
	_, err := c.API.CoreV1().Pods("default").Create(context.Background(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"k8s.v1.cni.cncf.io/networks": "net2"}},
		Spec: corev1.PodSpec{
			NodeName: NodeName, AutomountServiceAccountToken: &no, TerminationGracePeriodSeconds: &grace,
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers:  []corev1.Container{{Name: "app", Image: Image, ImagePullPolicy: corev1.PullNever, Args: []string{"http"}}},
		},
	}, metav1.CreateOptions{})
	return err
}

// UnmakePod deletes a pod, by force or in order, and waits until the API does
// not have it. One that is gone already is fine.
func (c *Cluster) UnmakePod(name string, force bool) error {
	var o metav1.DeleteOptions
	if now := int64(0); force {
		o.GracePeriodSeconds = &now
	}
	if err := c.deletePod(name, o); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return eventually(3*time.Minute, func() error {
		_, err := c.API.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("pod %s is still there: %v", name, err)
	})
}

// PodReady reports whether a pod is ready.
func (c *Cluster) PodReady(name string) bool {
	p, err := c.API.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{})
	return err == nil && isReady(*p)
}

// Tear empties the delegates file of a pod's ready sandbox, as a power cut
// does: the pod's deletion leaks. It reports whether there was one.
func (l *Ledger) Tear(pod string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.now {
		if s.Metadata.Name == pod && s.State == runtimeapi.PodSandboxState_SANDBOX_READY {
			return os.Truncate(l.n.layout.disk("/var/lib/cni/multus/"+s.Id), 0) == nil
		}
	}
	return false
}

// ForgetStopped removes the stopped sandboxes of a pod, with the same call as
// kubelet, that makes it once a minute. While containerd is down nothing
// happens.
func (n *Node) ForgetStopped(pod string) {
	items, err := n.listSandboxes()
	if err != nil {
		return
	}
	cri, err := dialCRI(n)
	if err != nil {
		return
	}
	defer cri.close()
	for _, s := range items {
		if s.Metadata.Name == pod && s.State != runtimeapi.PodSandboxState_SANDBOX_READY {
			_, _ = cri.Runtime.RemovePodSandbox(context.Background(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: s.Id})
		}
	}
}

// RestartDead starts kubelet where it ended by itself, as systemd does.
func (c *Cluster) RestartDead() {
	c.t.Helper()
	if !c.kubelet.running() {
		c.StartKubelet()
	}
}

// WaitAllPods waits until every pod works, and gives their number.
func (c *Cluster) WaitAllPods() (count int) {
	c.t.Helper()
	c.must(eventually(4*time.Minute, func() error {
		pods, err := c.pods()
		if err != nil {
			return err
		}
		count = len(pods)
		return c.podsWork(count)
	}), "wait for all pods to work")
	return count
}

// WaitOnlyReady waits until every sandbox that the runtime knows is ready, and
// helps kubelet to forget the others. It gives their IDs.
func (c *Cluster) WaitOnlyReady(count int) (ids []string) {
	c.t.Helper()
	c.must(eventually(3*time.Minute, func() error {
		ids = nil
		for _, s := range c.Sandboxes() {
			if s.State != runtimeapi.PodSandboxState_SANDBOX_READY {
				c.ForgetStopped(s.Metadata.Name)
				return fmt.Errorf("sandbox %s of pod %s is not ready", s.Id, s.Metadata.Name)
			}
			ids = append(ids, s.Id)
		}
		if known := c.Known(); len(ids) != count {
			return fmt.Errorf("%d sandboxes are ready of %d pods; containers: %d", len(ids), count, len(known))
		}
		return nil
	}), "wait until only the pods' sandboxes are known")
	return ids
}

// OwnedPods gives the names of the pods that a controller owns.
func (c *Cluster) OwnedPods() (names []string) {
	pods, err := c.pods()
	if err != nil {
		return nil
	}
	for _, p := range pods {
		if len(p.OwnerReferences) > 0 {
			names = append(names, p.Name)
		}
	}
	return names
}
