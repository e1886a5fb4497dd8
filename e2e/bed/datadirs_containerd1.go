package bed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// containerd1 is where the programs of containerd 1 are, below those of the
// bed: RKE2 had it up to 1.30.
const containerd1 = "containerd1-v1.7.29"

// RequireContainerd1 skips the test where there is no containerd 1.
func RequireContainerd1(t testing.TB, r *RKE2) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(r.tools.Bin, containerd1, "containerd")); err != nil {
		t.Skipf("!!!!!! NOT PROVEN: an upgrade from containerd 1 to 2: %v !!!!!!", err)
	}
}

func (r *RKE2) installContainerd1(release string) error {
	if release != r.Containerd1 {
		return nil
	}
	for _, name := range []string{"containerd", "containerd-shim-runc-v2"} {
		if err := r.copy(filepath.Join(r.tools.Bin, containerd1, name), r.InRelease(release, "bin/"+name)); err != nil {
			return err
		}
	}
	return nil
}

// containerd1Config says in the older form what releaseConfig says.
const containerd1Config = `version = 2
root = "` + RKE2Dir + `/agent/containerd"
state = "/run/k3s/containerd"
disabled_plugins = ["io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "` + ContainerdSocket + `"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + Image + `"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`

// RecreateContainer replaces a pod's container in its sandbox, as kubelet does
// when it has ended.
func (r *RKE2) RecreateContainer(p *Pod) {
	r.t.Helper()
	r.must(r.recreateContainer(context.Background(), p), "create the container of pod "+p.Name+" anew")
}

func (r *RKE2) recreateContainer(ctx context.Context, p *Pod) error {
	rt := r.cri.Runtime
	if _, err := rt.StopContainer(ctx, &runtimeapi.StopContainerRequest{ContainerId: p.Container}); err != nil {
		return fmt.Errorf("stop the container: %w", err)
	}
	if _, err := rt.RemoveContainer(ctx, &runtimeapi.RemoveContainerRequest{ContainerId: p.Container}); err != nil {
		return fmt.Errorf("remove the container: %w", err)
	}
	container, err := rt.CreateContainer(ctx, &runtimeapi.CreateContainerRequest{
		PodSandboxId: p.Sandbox, SandboxConfig: p.config,
		Config: &runtimeapi.ContainerConfig{
			Metadata: &runtimeapi.ContainerMetadata{Name: "app", Attempt: 1},
			Image:    &runtimeapi.ImageSpec{Image: Image},
			Args:     []string{"http"},
			LogPath:  "app.log",
		},
	})
	if err != nil {
		return fmt.Errorf("create the container: %w", err)
	}
	p.Container = container.ContainerId
	if _, err := rt.StartContainer(ctx, &runtimeapi.StartContainerRequest{ContainerId: p.Container}); err != nil {
		return fmt.Errorf("start the container: %w", err)
	}
	return nil
}
