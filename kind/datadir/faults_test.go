package datadir_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
)

// everything has a file for each source, and uses none of its old directories.
const everything = `a node
-- node --
process 430 /opt/kata/bin/containerd-shim-kata-v2
in 430 1111111111111111111111111111111111111111111111111111111111111111
open 430 3 -> /var/log/runc
map 430 /etc/cni/net.d/10.conf
process 431 /x
leaderless 431
process 431/task/432 /x
link /usr/local/bin/kubectl -> ../../../bin/busybox
touch /run/k3s/containerd/io.containerd.runtime.v1.linux/k8s.io/old 230h
-- root/etc/containerd/config.toml --
state = "/srv/state"
root = "/srv/root"
-- root/etc/cni/net.d/10.conf --
{}
-- root/etc/default/rke2-server --
A=/usr/local/bin/kubectl
-- root/srv/state/io.containerd.runtime.v2.task/default/x/sandbox --
y
-- root/srv/state/io.containerd.runtime.v2.task/default/y/shim-binary-path --
/usr/bin/containerd-shim-runc-v2
-- root/srv/state/io.containerd.sandbox.controller.v1.shim/default/z/shim-binary-path --
/usr/bin/containerd-shim-runc-v2
-- root/srv/state/runc/default/x/state.json --
{}
-- root/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/1111111111111111111111111111111111111111111111111111111111111111/shim-binary-path --
/opt/kata/bin/containerd-shim-kata-v2
-- root/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/1111111111111111111111111111111111111111111111111111111111111111/config.json --
{"mounts":[{"source":"/var/lib/kubelet"}]}
-- root/run/k3s/containerd/io.containerd.runtime.v1.linux/k8s.io/old/address --
unix:///x
-- root/var/lib/rancher/agent/interlock/applyinator-active --
pid=77
`

// harmless are what is read only to say whose something is, or to leave out
// hostgc itself and the processes of a node that is a container: without it more
// is kept. The database is looked for before it is opened, which tells all.
func harmless(op, name string) bool {
	if strings.HasPrefix(name, "proc/self") || name == "proc/99999/stat" || op == "stat" && strings.HasSuffix(name, "/meta.db") {
		return true
	}
	return strings.HasSuffix(name, "/cgroup") || strings.HasSuffix(name, "/ns/mnt") && !strings.HasSuffix(name, "1/ns/mnt")
}

// TestEveryReadThatFails: whatever cannot be read, by any one call, keeps
// everything. No error may be taken for absence.
func TestEveryReadThatFails(t *testing.T) {
	for _, tt := range []struct {
		product datadir.Product
		node    string
		old     string
	}{
		{rke2data.Product(), "current " + newTree + "\ntree " + oldTree + " 50h\n", oldTree},
		{k3sdata.Product(), "current " + strings.Repeat("a", 64) + " 40h\ntree " + strings.Repeat("b", 64) + " 50h\n", strings.Repeat("b", 64)},
	} {
		text := strings.Replace(everything, "-- node --\n", "-- node --\n"+tt.node, 1)
		n, err := datadirtest.Parse([]byte(text), tt.product.DefaultDir)
		if err != nil {
			t.Fatal(err)
		}
		n.Put(strings.Replace(dbFile, "var/lib/rancher/rke2/agent/containerd", "srv/root", 1), metadata(t, map[string]string{"v1/default/containers/x/runtime/name": "y"}))
		verdict := func() (hostgc.Verdict, string, bool) {
			v, err := n.Look(t.Context(), tt.product)
			if err != nil {
				return "", err.Error(), false
			}
			d, ok := v.Decision(tt.old)
			if !ok {
				return "", "", false
			}
			return d.Verdict, d.Because[0].Text, true
		}
		type read struct{ op, name string }
		var reads []read
		seen := map[read]bool{}
		n.Watch(func(op, name string) error {
			if r := (read{op, name}); !seen[r] {
				seen[r] = true
				reads = append(reads, r)
			}
			return nil
		})
		if v, why, _ := verdict(); v != hostgc.Garbage {
			t.Fatalf("%s is %s without a fault: %s", tt.old, v, why)
		}
		if len(reads) < 150 {
			t.Fatalf("only %d reads", len(reads))
		}
		for _, r := range reads {
			n.Watch(func(op, name string) error {
				if op == r.op && name == r.name {
					return syscall.EIO
				}
				return nil
			})
			if v, _, ok := verdict(); ok && v == hostgc.Garbage && !harmless(r.op, r.name) {
				t.Errorf("%s of %s fails, and %s is garbage", r.op, r.name, tt.old)
			}
		}
	}
}
