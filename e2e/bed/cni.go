package bed

import (
	"fmt"
	"os"
	"time"
)

// PodNetwork is the usual set-up of a small cluster: a bridge with host-local
// addresses.
const PodNetwork = `{"cniVersion":"1.0.0","name":"cbr0","plugins":[
 {"type":"bridge","bridge":"cni0","isGateway":true,"hairpinMode":true,
  "ipam":{"type":"host-local","ranges":[[{"subnet":"10.42.0.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}]}},
 {"type":"portmap","capabilities":{"portMappings":true}}]}`

// podNetworkConf is the same network as a plugin's configuration of its own, and
// no list.
const podNetworkConf = `{"cniVersion":"1.0.0","name":"cbr0","type":"bridge","bridge":"cni0","isGateway":true,"hairpinMode":true,
 "ipam":{"type":"host-local","ranges":[[{"subnet":"10.42.0.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}]}}`

// SecondNetwork is an additional network for Multus to attach.
const SecondNetwork = `{"cniVersion":"1.0.0","name":"net2","type":"bridge","bridge":"br2",
 "ipam":{"type":"host-local","ranges":[[{"subnet":"10.99.0.0/24"}]]}}`

// MultusThin makes each pod have both networks by Multus' configuration, so
// that no API server is needed.
const MultusThin = `{"cniVersion":"1.0.0","name":"multus-cni-network","type":"multus",
 "delegates":[` + PodNetwork + `,` + SecondNetwork + `]}`

// InstallCNI installs plugins and configuration (file name to content).
func (n *Node) InstallCNI(conf map[string]string) {
	n.t.Helper()
	n.must(n.installPlugins(), "install the CNI plugins")
	for name, content := range conf {
		path := n.layout.disk("/etc/cni/net.d/" + name)
		n.must(os.WriteFile(path, []byte(content), 0o644), "write the CNI configuration")
	}
}

// installPlugins links the plugins that are there: a test that needs another
// fails by its name.
func (n *Node) installPlugins() error {
	for _, name := range n.tools.Plugins() {
		from, err := n.tools.Path(name)
		if err != nil {
			continue
		}
		if err := os.Link(from, n.plugin(name)); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) plugin(name string) string { return n.layout.disk("/opt/cni/bin/" + name) }

// FailCNI takes a plugin's binary away, so that every ADD and DEL that needs
// it fails, until restore is called.
func (n *Node) FailCNI(plugin string) (restore func()) {
	n.t.Helper()
	path := n.plugin(plugin)
	n.must(os.Rename(path, path+".away"), "take the plugin away")
	return func() {
		n.t.Helper()
		n.must(os.Rename(path+".away", path), "give the plugin back")
	}
}

// WaitPlugins waits until no CNI plugin runs: one that was at work when its
// runtime was killed goes on alone, and removes files.
func (n *Node) WaitPlugins() {
	n.t.Helper()
	n.must(eventually(time.Minute, func() error {
		out, err := n.Exec("sh", "-c", "readlink /proc/[0-9]*/exe | grep /opt/cni/bin || true")
		if err == nil && out != "" {
			err = fmt.Errorf("there are %s", out)
		}
		return err
	}), "wait for CNI plugins to end")
}

// Truncate cuts a file on the node's disk, as a power cut does to one that was
// written and not synced.
func (n *Node) Truncate(path string, size int64) {
	n.t.Helper()
	n.must(os.Truncate(n.layout.disk(path), size), "tear "+path)
}
