package bed

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Pod is a pod that runs by CRI alone, without a kubelet.
type Pod struct {
	Name, UID string
	Sandbox   string // the sandbox's ID
	Container string
	IP        string
	config    *runtimeapi.PodSandboxConfig
}

// RunPod runs a pod with a small HTTP server. Name and UID are free to be
// those of an earlier pod: to the runtime only the sandbox ID is identity.
func (n *Node) RunPod(name, uid string) *Pod {
	n.t.Helper()
	p, err := n.runPod(context.Background(), name, uid)
	n.must(err, "run pod "+name)
	return p
}

func (n *Node) runPod(ctx context.Context, name, uid string) (*Pod, error) {
	p := &Pod{Name: name, UID: uid, config: &runtimeapi.PodSandboxConfig{
		Metadata:     &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "default", Uid: uid},
		LogDirectory: "/var/log/pods/default_" + name + "_" + uid,
		Linux:        &runtimeapi.LinuxPodSandboxConfig{CgroupParent: "/" + n.cgroup + "/pods"},
	}}
	rt := n.cri.Runtime
	sandbox, err := rt.RunPodSandbox(ctx, &runtimeapi.RunPodSandboxRequest{Config: p.config})
	if err != nil {
		return nil, fmt.Errorf("run the sandbox: %w", err)
	}
	p.Sandbox = sandbox.PodSandboxId
	container, err := rt.CreateContainer(ctx, &runtimeapi.CreateContainerRequest{
		PodSandboxId: p.Sandbox, SandboxConfig: p.config,
		Config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "app"},
			Image:    &runtimeapi.ImageSpec{Image: Image},
			Args:     []string{"http"},
			LogPath:  "app.log",
		},
	})
	if err != nil {
		return nil, fmt.Errorf("create the container: %w", err)
	}
	p.Container = container.ContainerId
	if _, err := rt.StartContainer(ctx, &runtimeapi.StartContainerRequest{ContainerId: p.Container}); err != nil {
		return nil, fmt.Errorf("start the container: %w", err)
	}
	status, err := rt.PodSandboxStatus(ctx, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: p.Sandbox})
	if err != nil {
		return nil, fmt.Errorf("ask for the pod's IP: %w", err)
	}
	p.IP = status.GetStatus().GetNetwork().GetIp()
	return p, nil
}

// StopPod stops a pod's sandbox, which calls CNI DEL, and leaves it listed as
// NOTREADY.
func (n *Node) StopPod(p *Pod) error {
	_, err := n.cri.Runtime.StopPodSandbox(context.Background(), &runtimeapi.StopPodSandboxRequest{PodSandboxId: p.Sandbox})
	return err
}

// RemovePod stops a pod and has the runtime forget it, as kubelet does.
func (n *Node) RemovePod(p *Pod) error {
	if err := n.StopPod(p); err != nil {
		return fmt.Errorf("stop pod %s: %w", p.Name, err)
	}
	_, err := n.cri.Runtime.RemovePodSandbox(context.Background(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: p.Sandbox})
	if err != nil {
		return fmt.Errorf("remove pod %s: %w", p.Name, err)
	}
	return nil
}

// Works reports an error unless the container can be entered and has the
// pod's IP, the pod answers on it, and its log says so.
func (n *Node) Works(container, ip string) error {
	out, err := n.cri.Runtime.ExecSync(context.Background(), &runtimeapi.ExecSyncRequest{
		ContainerId: container, Cmd: []string{"/app", "ip"}, Timeout: 20,
	})
	if err != nil {
		return fmt.Errorf("exec in the pod: %w", err)
	}
	if inside := string(out.Stdout); !strings.Contains(inside, ip+"/") {
		return fmt.Errorf("the pod lost its address %s; it has:\n%s", ip, inside)
	}
	question := fmt.Sprintf("/%d", time.Now().UnixNano())
	if err := eventually(10*time.Second, func() error { return n.answers(ip, question) }); err != nil {
		return err
	}
	return eventually(10*time.Second, func() error { return n.logged(container, question) })
}

// logged looks for a line in the container's log.
func (n *Node) logged(container, line string) error {
	r, err := n.cri.Runtime.ContainerStatus(context.Background(), &runtimeapi.ContainerStatusRequest{ContainerId: container})
	if err != nil {
		return fmt.Errorf("asking for the log of %s: %w", container, err)
	}
	log, err := n.Exec("cat", r.GetStatus().GetLogPath())
	if err == nil && !strings.Contains(log, line) {
		err = fmt.Errorf("the log %s does not say %s", r.GetStatus().GetLogPath(), line)
	}
	return err
}

// answers asks the pod's server from the node.
func (n *Node) answers(ip, question string) error {
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DialContext: n.Dial, DisableKeepAlives: true}}
	r, err := client.Get("http://" + net.JoinHostPort(ip, "8080") + question)
	if err != nil {
		return fmt.Errorf("the pod does not answer: %w", err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err == nil && !strings.Contains(string(body), ip+"/") {
		err = fmt.Errorf("another pod answers on %s: it has\n%s", ip, body)
	}
	return err
}
