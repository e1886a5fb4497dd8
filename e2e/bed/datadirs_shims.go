package bed

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// bundles is where containerd keeps what it has on record of running tasks.
const bundles = "/run/k3s/containerd/io.containerd.runtime.v2.task"

// Shim gives the process ID, in the node, of a pod's shim.
func (r *RKE2) Shim(p *Pod) string {
	r.t.Helper()
	pid, err := r.Exec("pgrep", "-f", "containerd-shim.* -id "+p.Sandbox)
	r.must(err, "find the shim of pod "+p.Name)
	return strings.TrimSpace(pid)
}

// KillShim kills a pod's shim, and waits until containerd has cleaned up after
// it: the pod is down.
func (r *RKE2) KillShim(p *Pod) {
	r.t.Helper()
	_, err := r.Exec("kill", "-KILL", r.Shim(p))
	r.must(err, "kill the shim of pod "+p.Name)
	r.must(eventually(time.Minute, func() error {
		for _, s := range r.Sandboxes() {
			if s.Id == p.Sandbox && s.State == runtimeapi.PodSandboxState_SANDBOX_READY {
				return fmt.Errorf("pod %s is ready", p.Name)
			}
		}
		return nil
	}), "wait for containerd to notice")
}

// LoseBundles takes away all that containerd has on record of a pod's running
// tasks. Its processes run on, out of containerd's sight.
func (r *RKE2) LoseBundles(p *Pod) {
	r.t.Helper()
	for _, id := range []string{p.Sandbox, p.Container} {
		bundle := bundles + "/k8s.io/" + id
		_, err := r.Exec("sh", "-ec", "umount "+bundle+"/rootfs; rm -r "+bundle)
		r.must(err, "remove a bundle")
	}
}

// KillLost ends a shim that containerd does not know of, and what runs under
// it.
func (r *RKE2) KillLost(shim string) {
	r.t.Helper()
	_, err := r.Exec("sh", "-ec", "kill -KILL $(pgrep -P "+shim+") "+shim)
	r.must(err, "kill a shim and its containers")
	r.must(eventually(time.Minute, func() error {
		if _, err := r.Exec("kill", "-0", shim); err == nil {
			return fmt.Errorf("process %s is there", shim)
		}
		return nil
	}), "wait for the end of a shim")
}

// InstallCustomShim puts a shim outside the releases, for containerd to use
// from its next start on.
func (r *RKE2) InstallCustomShim(path string) {
	r.t.Helper()
	r.must(r.install("containerd-shim-runc-v2", path), "install a shim")
	r.CustomShim = path
}

// RunGrouped runs a container without a pod that shares its shim with those of
// its group: as the containers of a pod do that was made by containerd 1.
func (r *RKE2) RunGrouped(name, group string) {
	r.t.Helper()
	_, err := r.ctr("images", "import", shareDir+"/image.tar")
	r.must(err, "import the image")
	_, err = r.ctr("run", "--detach", "--annotation", "io.containerd.runc.v2.group="+group,
		"--cgroup", "/"+r.cgroup+"/pods/"+name, Image, name, "/app", "pause")
	r.must(err, "run container "+name)
}

// GroupedWorks reports an error unless a container runs and can be entered.
func (r *RKE2) GroupedWorks(name string) error {
	tasks, err := r.ctr("tasks", "ls")
	if err == nil && !regexp.MustCompile(`(?m)^`+name+` +\d+ +RUNNING`).MatchString(tasks) {
		err = fmt.Errorf("%s does not run:\n%s", name, tasks)
	}
	if err == nil {
		_, err = r.ctr("tasks", "exec", "--exec-id", "check", name, "/app", "ip")
	}
	return err
}

// RemoveGrouped ends a container and has the runtime forget it.
func (r *RKE2) RemoveGrouped(name string) {
	r.t.Helper()
	_, err := r.ctr("tasks", "delete", "--force", name)
	r.must(err, "end "+name)
	_, err = r.ctr("containers", "delete", name)
	r.must(err, "remove "+name)
}

func (r *RKE2) ctr(args ...string) (string, error) {
	program, err := r.tool("ctr")
	if err != nil {
		return "", err
	}
	return r.Exec(append([]string{program, "-n", "default"}, args...)...)
}
