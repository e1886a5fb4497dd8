package e2e

import (
	"testing"
)

// A release of which no pod is left can be used by anything on the node.
func TestRuntimeDataDirUsedByOthers(t *testing.T) {
	n := rke2Node(t)
	n.Upgrade(v132)
	n.Upgrade(v133)
	pod := n.RunPod("pod", "uid-pod")
	kubectl := n.InRelease(v132, "bin/kubectl")
	users := []struct {
		name, script string
		words        []string
	}{
		{"open-file", "exec 3<" + kubectl + "; touch $READY; exec sleep inf", []string{"processes", "file", "open"}},
		{"bind-mount", "touch /run/kubectl; exec unshare --mount --propagation private sh -ec '" +
			"mount --bind " + kubectl + " /run/kubectl; touch '$READY'; exec sleep inf'", []string{"mounts", "mounted at /run/kubectl"}},
		{"mount-below", "exec unshare --mount --propagation private sh -ec '" +
			"mount -t tmpfs none " + n.InRelease(v132, "charts") + "; touch '$READY'; exec sleep inf'", []string{"mounts", "on or below"}},
		{"link", "mount -t tmpfs none /usr/local/bin; trap 'umount /usr/local/bin; exit' TERM; " +
			"ln -s " + kubectl + " /usr/local/bin/kubectl; touch $READY; while :; do sleep 0.1; done", []string{"links", "/usr/local/bin/kubectl"}},
	}
	for _, u := range users {
		t.Run(u.name, func(t *testing.T) {
			stop := n.Background(u.name, u.script)
			sweepLeaves(t, n, v132, v133)
			keptBy(t, n, v132, u.words...)
			stop()
		})
	}
	sweepLeaves(t, n, v133)
	runOn(t, n, pod)
	recreated(t, n, pod)
}
