package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// node is a host's root directory with the files of a million sandboxes that
// are gone, and of some that run.
type node struct {
	dir     string // beside root: what is not the host's
	running []sandbox
	stale   int // files that are garbage
	live    int // files of running sandboxes
}

func (n node) root() string      { return filepath.Join(n.dir, "root") }
func (n node) ids() string       { return filepath.Join(n.dir, "live-ids") }
func (n node) pods() string      { return filepath.Join(n.dir, "live-pods.json") }
func (n node) delegates() string { return filepath.Join(n.root(), "var/lib/cni/multus") }
func (n node) results() string   { return filepath.Join(n.delegates(), "results") }
func (n node) dirs() []string    { return []string{n.results(), n.delegates()} }

// The seeds keep what runs and what ran apart.
const (
	runningSeed = 1
	staleSeed   = 2
)

// makeStale makes a node with n files, all garbage but those of the running
// sandboxes, which come between the others.
func makeStale(dir string, n, running int) (node, error) {
	nd := node{dir: dir}
	if err := nd.skeleton(); err != nil {
		return nd, err
	}
	up, gone := sandboxes(runningSeed), sandboxes(staleSeed)
	every := max(1, n/filesEach/max(1, running))
	for made, i := 0, 0; made < n; i++ {
		s, left := gone(), n-made
		if i%every == 0 && len(nd.running) < running && left >= filesEach {
			s = up()
			nd.running = append(nd.running, s)
			nd.live += filesEach
		}
		m, err := nd.add(s, left)
		if err != nil {
			return nd, err
		}
		made += m
	}
	nd.stale = n - nd.live
	return nd, nd.describe()
}

// filesEach is how many files a pod with two networks has.
const filesEach = 3

// add makes the files of a sandbox, at most so many.
func (n node) add(s sandbox, most int) (int, error) {
	files := []struct{ path, content string }{
		{filepath.Join(n.delegates(), s.id), s.delegates()},
		{filepath.Join(n.results(), "cbr0-"+s.id+"-eth0"), s.results("cbr0", "eth0")},
		{filepath.Join(n.results(), "net2-"+s.id+"-net1"), s.results("net2", "net1")},
	}
	files = files[:min(len(files), most)]
	for _, f := range files {
		if err := os.WriteFile(f.path, []byte(f.content), 0o600); err != nil {
			return 0, err
		}
	}
	return len(files), nil
}

// makeLive makes a node on which all n files belong to running sandboxes. They
// have many networks each, because no node runs a million pods.
func makeLive(dir string, n, running int) (node, error) {
	nd := node{dir: dir, live: n}
	if err := nd.skeleton(); err != nil {
		return nd, err
	}
	up := sandboxes(runningSeed)
	for range running {
		nd.running = append(nd.running, up())
	}
	for i := range n {
		s, network := nd.running[i%running], fmt.Sprintf("net%d", i/running)
		path := filepath.Join(nd.results(), network+"-"+s.id+"-"+network)
		if err := os.WriteFile(path, []byte(s.results(network, network)), 0o600); err != nil {
			return nd, err
		}
	}
	return nd, nd.describe()
}

// skeleton makes the directories. The mount table of PID 1 is that of a pod:
// hostgc then sees no processes, and has to ask the API server too.
func (n node) skeleton() error {
	for _, dir := range []string{n.results(), filepath.Join(n.root(), "proc/1"), filepath.Join(n.root(), filepath.Dir(criSocket))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	const pod = "22 1 254:0 / / rw,relatime - overlay overlay rw\n" +
		"30 22 254:1 /var/lib/kubelet/pods/8b3137bf-8a32-36f4-0d57-417cad775004/etc-hosts /etc/hosts rw,relatime - ext4 /dev/vda rw\n"
	return os.WriteFile(filepath.Join(n.root(), "proc/1/mountinfo"), []byte(pod), 0o600)
}

// describe writes down which sandboxes run.
func (n node) describe() error {
	var ids []byte
	pods := []pod{}
	for _, s := range n.running {
		ids = fmt.Appendln(ids, s.id)
		pods = append(pods, pod{ID: s.id, Name: s.pod, UID: s.uid})
	}
	b, err := json.Marshal(pods)
	if err != nil {
		return err
	}
	if err := os.WriteFile(n.ids(), ids, 0o600); err != nil {
		return err
	}
	return os.WriteFile(n.pods(), b, 0o600)
}
