package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/e2e/bed"
)

// hostgc's own image runs as the DaemonSet of deploy/, with the privileges and
// permissions declared there and no others, and does what the command line
// does: it takes what a wiped runtime and a failed DEL leaked, and nothing else.
func TestClusterInPod(t *testing.T) {
	bed.Require(t, "containerd", "runc", "app", "bridge", "multus", "etcd", "kube-apiserver", "kubelet")
	c := bed.UpCluster(t, bed.Thin)
	c.Apply(bed.Workloads)
	c.WaitPods(3)
	c.PowerCut()
	c.WipeRuntime()
	restart(c)
	c.WaitPods(3)
	c.ImportHostgc()
	tree := c.Tree()

	wantStale(t, c.Node, "multus-delegates", "multus-results", "cni-results", "host-local-ips")
	removed := map[string]int{}
	before := c.Files()
	known := c.Known()
	pod := c.DeployHostgc()
	podRemovesStale(t, c, pod, before, known, removed)
	tellsWhatItRemoved(t, pod, removed)
	hasWhatIsDeclared(t, c, pod)

	leak(t, c, "db-0")
	podRemovesStale(t, c, pod, c.Files(), c.Known(), removed)
	tellsWhatItRemoved(t, pod, removed)
	c.WaitPods(3)
	deletesCleanly(t, c)

	if now := pod.Now(); now.UID != pod.UID || now.Restarts != 0 {
		t.Errorf("hostgc's pod did not survive: it was %s, is %s, restarted %d times", pod.UID, now.UID, now.Restarts)
	}
	pod.Delete()
	for path := range c.Tree() {
		if !tree[path] && path != "/var/lib/hostgc" && path != "/var/lib/hostgc/state.json" {
			t.Errorf("hostgc left %s", path)
		}
		delete(tree, path)
	}
	if len(tree) != 0 {
		t.Errorf("hostgc removed %v", tree)
	}
}

// podRemovesStale waits until the pod removed what is stale of the files by
// what the runtime knew, gives it two more cycles, and holds the whole list
// against that. It adds to the counts of what was removed.
func podRemovesStale(t *testing.T, c *bed.Cluster, pod *bed.HostgcPod, before []bed.File, known map[string]bool, removed map[string]int) {
	t.Helper()
	live, stale := bed.Split(before, known)
	want := paths(live)
	for _, f := range stale {
		if !slices.Contains(collected, f.Kind) {
			want = append(want, f.Path)
			continue
		}
		c.WaitNoFile(f.Path)
		removed[f.Kind]++
	}
	slices.Sort(want)
	pod.WaitMetric("hostgc_cycles_total", pod.Metric("hostgc_cycles_total", "")+2)
	if diff := cmp.Diff(want, paths(c.Files())); diff != "" {
		t.Errorf("files on the node after the pod's cycles (-want +got):\n%s", diff)
	}
	c.WaitPods(3)
}

// tellsWhatItRemoved checks the pod's metrics and the Events on the Node.
func tellsWhatItRemoved(t *testing.T, pod *bed.HostgcPod, removed map[string]int) {
	t.Helper()
	for _, kind := range collected {
		if got := pod.Metric("hostgc_removed_total", `kind="`+kind+`"`); got != float64(removed[kind]) {
			t.Errorf("/metrics tells of %g of %s removed, want %d", got, kind, removed[kind])
		}
	}
	var told []string
	for _, e := range pod.NodeEvents() {
		told = append(told, e.Message)
	}
	for kind := range removed {
		if !strings.Contains(strings.Join(told, "\n"), kind) {
			t.Errorf("no Event on the Node tells of %s; there are %q", kind, told)
		}
	}
}

// hasWhatIsDeclared checks what kernel and API server really let it do.
func hasWhatIsDeclared(t *testing.T, c *bed.Cluster, pod *bed.HostgcPod) {
	t.Helper()
	const none, ptrace = "0000000000000000", "0000000000080000"
	want := map[string]string{
		"Uid": "0 0 0 0", "NoNewPrivs": "1", "Seccomp": "2",
		"CapInh": none, "CapAmb": none, "CapPrm": ptrace, "CapEff": ptrace, "CapBnd": ptrace,
	}
	if diff := cmp.Diff(want, pod.Privileges()); diff != "" {
		t.Errorf("privileges of hostgc's process (-want +got):\n%s", diff)
	}
	for namespace, want := range map[string][]string{
		"default":     {"create events", "list pods"},
		"hostgc":      {"list pods"},
		"kube-system": {"list pods"},
	} {
		if diff := cmp.Diff(want, c.Rights(namespace)); diff != "" {
			t.Errorf("what hostgc may do in %s (-want +got):\n%s", namespace, diff)
		}
	}
}
