package bed

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pods lists the pods of the default namespace.
func (c *Cluster) Pods() []corev1.Pod {
	c.t.Helper()
	pods, err := c.pods()
	c.must(err, "list the pods")
	return pods
}

func (c *Cluster) pods() ([]corev1.Pod, error) {
	list, err := c.API.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// WaitPods waits until there are exactly so many pods, and all of them work:
// they are ready, can be entered by the CRI, and answer on their IP.
func (c *Cluster) WaitPods(count int) {
	c.t.Helper()
	c.must(eventually(3*time.Minute, func() error { return c.podsWork(count) }), fmt.Sprintf("wait for %d pods", count))
}

func (c *Cluster) podsWork(count int) error {
	pods, err := c.pods()
	if err != nil {
		return err
	}
	if len(pods) != count {
		return fmt.Errorf("there are %d pods", len(pods))
	}
	for _, p := range pods {
		if err := c.podWorks(p); err != nil {
			return fmt.Errorf("pod %s (%s): %w", p.Name, p.UID, err)
		}
	}
	return nil
}

func (c *Cluster) podWorks(p corev1.Pod) error {
	if p.DeletionTimestamp != nil || !isReady(p) {
		return fmt.Errorf("phase %s, not ready: %v", p.Status.Phase, p.Status.Conditions)
	}
	_, container, _ := strings.Cut(p.Status.ContainerStatuses[0].ContainerID, "containerd://")
	if c.cri == nil {
		return errEnded
	}
	return c.Works(container, p.Status.PodIP)
}

func isReady(p corev1.Pod) bool {
	for _, cond := range p.Status.Conditions {
		if cond.Type == corev1.PodReady {
			return cond.Status == corev1.ConditionTrue
		}
	}
	return false
}

// DeletePod deletes a pod, and returns at once.
func (c *Cluster) DeletePod(name string) {
	c.t.Helper()
	c.must(c.deletePod(name, metav1.DeleteOptions{}), "delete pod "+name)
}

// ForceDeletePod removes a pod from the API without waiting for kubelet, as
// people do when a pod is stuck.
func (c *Cluster) ForceDeletePod(name string) {
	c.t.Helper()
	now := int64(0)
	c.must(c.deletePod(name, metav1.DeleteOptions{GracePeriodSeconds: &now}), "force the deletion of pod "+name)
}

func (c *Cluster) deletePod(name string, o metav1.DeleteOptions) error {
	return c.API.CoreV1().Pods("default").Delete(context.Background(), name, o)
}

// Scale sets the replicas of Deployment web and StatefulSet db.
func (c *Cluster) Scale(web, db int) {
	c.t.Helper()
	ctx, apps := context.Background(), c.API.AppsV1()
	scale, err := apps.Deployments("default").GetScale(ctx, "web", metav1.GetOptions{})
	c.must(err, "scale web")
	scale.Spec.Replicas = int32(web)
	_, err = apps.Deployments("default").UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	c.must(err, "scale web")
	scale, err = apps.StatefulSets("default").GetScale(ctx, "db", metav1.GetOptions{})
	c.must(err, "scale db")
	scale.Spec.Replicas = int32(db)
	_, err = apps.StatefulSets("default").UpdateScale(ctx, "db", scale, metav1.UpdateOptions{})
	c.must(err, "scale db")
}

// WaitEvent waits until the cluster tells of something that happened to its
// pods since a time.
func (c *Cluster) WaitEvent(text string, since time.Time) {
	c.t.Helper()
	c.must(eventually(2*time.Minute, func() error {
		events, err := c.API.CoreV1().Events("default").List(context.Background(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if strings.Contains(e.Message, text) && e.LastTimestamp.After(since) {
				return nil
			}
		}
		return fmt.Errorf("none of %d events says so", len(events.Items))
	}), fmt.Sprintf("wait for an event %q", text))
}
