package bed

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var sample = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{([^}]*)\})? (\S+)$`)

// Metric gives what the pod serves at /metrics under a name, summed over all
// series that have a label (as `kind="cni-results"`; empty: all).
func (h *HostgcPod) Metric(name, label string) float64 {
	h.c.t.Helper()
	body, err := h.get("/metrics")
	h.c.must(err, "read hostgc's metrics")
	sum := 0.0
	for _, m := range sample.FindAllStringSubmatch(body, -1) {
		if m[1] == name && strings.Contains(m[2], label) {
			v, err := strconv.ParseFloat(m[3], 64)
			h.c.must(err, "read the metric "+m[0])
			sum += v
		}
	}
	return sum
}

// WaitMetric waits until a metric is at least so large.
func (h *HostgcPod) WaitMetric(name string, least float64) {
	h.c.t.Helper()
	h.c.must(eventually(time.Minute, func() error {
		if v := h.Metric(name, ""); v < least {
			return fmt.Errorf("it is %g", v)
		}
		return nil
	}), fmt.Sprintf("wait for %s to be %g", name, least))
}

func (h *HostgcPod) get(path string) (string, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: h.c.Dial, DisableKeepAlives: true}}
	r, err := client.Get("http://" + NodeIP + ":9617" + path)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s says %s: %s", path, r.Status, body)
	}
	return string(body), err
}

// NodeEvents gives the Events that hostgc wrote on the Node.
func (h *HostgcPod) NodeEvents() []corev1.Event {
	h.c.t.Helper()
	list, err := h.c.API.CoreV1().Events("default").List(context.Background(), metav1.ListOptions{
		FieldSelector: "involvedObject.kind=Node,involvedObject.name=" + NodeName + ",reason=HostStateRemoved",
	})
	h.c.must(err, "list the Node's Events")
	return list.Items
}

// Privileges gives what the kernel says that hostgc's process may do, by the
// names of /proc/PID/status.
func (h *HostgcPod) Privileges() map[string]string {
	h.c.t.Helper()
	const find = `for p in /proc/[0-9]*; do [ "$(readlink $p/exe)" = /usr/bin/hostgc ] && cat $p/status; done; true`
	out, err := h.c.Exec("sh", "-c", find)
	h.c.must(err, "find hostgc's process")
	p := map[string]string{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, ":")
		switch name {
		case "Uid", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp":
			p[name] = strings.Join(strings.Fields(value), " ")
		}
	}
	return p
}

// Tree lists what is on the node's disk and was added to its /etc, beside the
// files of runtime, kubelet and CNI, which change as pods come and go.
func (n *Node) Tree() map[string]bool {
	n.t.Helper()
	tree := map[string]bool{}
	for root, shown := range map[string]string{n.layout.disk(""): "", n.layout.Run + "/etc/upper": "/etc"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			inside := shown + strings.TrimPrefix(path, root)
			switch inside {
			case "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/cni", "/var/log":
				return fs.SkipDir
			}
			tree[inside] = true
			return nil
		})
		n.must(err, "list the node's disk")
	}
	return tree
}
