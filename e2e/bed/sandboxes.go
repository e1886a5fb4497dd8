package bed

import (
	"context"
	"fmt"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Sandboxes gives the runtime's list, in any state.
func (n *Node) Sandboxes() []*runtimeapi.PodSandbox {
	n.t.Helper()
	list, err := n.CRI().Runtime.ListPodSandbox(context.Background(), &runtimeapi.ListPodSandboxRequest{})
	n.must(err, "ask the runtime for its sandboxes")
	return list.Items
}

// SandboxIDs gives the IDs of all sandboxes that the runtime lists.
func (n *Node) SandboxIDs() []string {
	n.t.Helper()
	var ids []string
	for _, s := range n.Sandboxes() {
		ids = append(ids, s.Id)
	}
	return ids
}

// SandboxOf waits until a pod has a ready sandbox, and gives its ID.
func (n *Node) SandboxOf(pod string) (id string) {
	n.t.Helper()
	n.must(eventually(time.Minute, func() error {
		for _, s := range n.Sandboxes() {
			if s.Metadata.Name == pod && s.State == runtimeapi.PodSandboxState_SANDBOX_READY {
				id = s.Id
				return nil
			}
		}
		return fmt.Errorf("it has none")
	}), "wait for the sandbox of "+pod)
	return id
}

// WaitDying waits until a sandbox's deletion has begun: a container has ended
// or the sandbox is not ready, and the runtime still has a record of it.
func (n *Node) WaitDying(sandbox string) {
	n.t.Helper()
	ctx, rt := context.Background(), n.CRI().Runtime
	n.must(eventually(time.Minute, func() error {
		containers, err := rt.ListContainers(ctx, &runtimeapi.ListContainersRequest{Filter: &runtimeapi.ContainerFilter{PodSandboxId: sandbox}})
		if err != nil {
			return err
		}
		for _, c := range containers.Containers {
			if c.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
				return fmt.Errorf("container %s still runs", c.Id)
			}
		}
		return nil
	}), "wait for a pod's deletion to begin")
}

// WaitForgotten waits until the runtime knows no sandbox of those given: their
// deletion is complete. Kubelet removes stopped sandboxes once a minute.
func (n *Node) WaitForgotten(sandboxes ...string) {
	n.t.Helper()
	n.must(eventually(3*time.Minute, func() error {
		known := n.Known()
		for _, id := range sandboxes {
			if known[id] {
				return fmt.Errorf("sandbox %s is still there", id)
			}
		}
		return nil
	}), "wait for the runtime to forget sandboxes")
}

// Forget waits until kubelet has stopped a sandbox, and removes it with the
// same call as kubelet, without waiting for kubelet's minute.
func (n *Node) Forget(sandbox string) {
	n.t.Helper()
	ctx, rt := context.Background(), n.CRI().Runtime
	n.must(eventually(time.Minute, func() error {
		for _, s := range n.Sandboxes() {
			if s.Id == sandbox && s.State == runtimeapi.PodSandboxState_SANDBOX_READY {
				return fmt.Errorf("sandbox %s is ready", sandbox)
			}
		}
		_, err := rt.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: sandbox})
		return err
	}), "remove a stopped sandbox")
	n.WaitForgotten(sandbox)
}
