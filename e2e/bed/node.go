package bed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hostgc/hostgc/e2e/build"
)

// Node is a Kubernetes node. Its methods fail the test where the bed itself
// does not do what it should; they must be called from the test's goroutine,
// except those that return an error.
type Node struct {
	t      testing.TB
	tools  build.Tools
	layout layout
	cgroup string
	reaper *reaper

	network *thread // in the node's network namespace, for the bed's life
	inside  *thread // in all namespaces of the booted node; nil while it is off

	init, containerd, kubelet, multus *daemon
	cri                               *CRI
	containerdStarted                 time.Time
	sweepArgs                         []string // what Sweep adds
}

// Up makes a node and boots it. Nothing runs on it yet. It is torn down when
// the test ends.
func Up(t testing.TB) *Node {
	t.Helper()
	n := &Node{t: t, tools: build.Locate()}
	t.Cleanup(n.down)
	n.must(n.create(), "make the node")
	n.Boot()
	return n
}

func (n *Node) create() error {
	runs := filepath.Join(n.tools.Cache, "run")
	if err := os.MkdirAll(runs, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(runs, "node-")
	if err != nil {
		return err
	}
	n.layout = layout{Run: dir, Bin: n.tools.Bin}
	n.cgroup = "hostgc-e2e-" + filepath.Base(dir)
	if n.reaper, err = startReaper(remains{Dir: dir, Cgroup: n.cgroup}); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := n.layout.create(); err != nil {
		return err
	}
	if err := makeCgroups(n.cgroup); err != nil {
		return err
	}
	n.network, err = newThread(enterNewNetwork)
	return err
}

func (n *Node) down() {
	n.logTails()
	n.powerOff()
	if n.network != nil {
		n.network.stop() // the kernel kills what was started from it
	}
	if n.reaper != nil {
		if err := n.reaper.reap(); err != nil {
			n.t.Error(err)
		}
	}
}

// logTails shows the ends of the logs of a failed test.
func (n *Node) logTails() {
	if !n.t.Failed() {
		return
	}
	for _, d := range []*daemon{n.init, n.containerd, n.kubelet, n.multus} {
		if d != nil {
			n.t.Logf("end of the log of %s:\n%s", d.name, d.tail())
		}
	}
}

func (n *Node) must(err error, doing string) {
	n.t.Helper()
	if err != nil {
		n.t.Fatalf("%s: %v", doing, err)
	}
}

// Dial connects to an address as a process of the node does. It is of the
// form that grpc and client-go take.
func (n *Node) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	t := n.network
	if network == "unix" {
		t = n.inside
	}
	if t == nil {
		return nil, errEnded
	}
	var c net.Conn
	err := t.do(func() (err error) {
		c, err = (&net.Dialer{}).DialContext(ctx, network, address)
		return err
	})
	return c, err
}

// Share puts a file where the node sees it, and gives its path there.
func (n *Node) Share(name string, content []byte, mode os.FileMode) string {
	n.t.Helper()
	path := n.layout.share(name)
	n.must(os.MkdirAll(filepath.Dir(path), 0o755), "share a file with the node")
	n.must(os.WriteFile(path, content, mode), "share a file with the node")
	return filepath.Join(shareDir, name)
}

// tool gives the path of a program inside the node.
func (n *Node) tool(name string) (string, error) {
	path, err := n.tools.Path(name)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(n.tools.Bin, path)
	if err != nil {
		return "", fmt.Errorf("find %s in the node: %w", name, err)
	}
	return filepath.Join(binDir, rel), nil
}
