package datadir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
)

// TestThisMachine: the zero options are those of the machine that the program
// runs on. Nothing is in the directory, so nobody is asked.
func TestThisMachine(t *testing.T) {
	dir := t.TempDir()
	for _, there := range []bool{false, true} {
		if there {
			if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		r, err := rke2data.Clean(t.Context(), dir, rke2data.Options{Mode: hostgc.ModeEnforce}, nil)
		if err != nil || len(r.Entries) != 0 || r.Dir != dir+"/data" || (r.Mode == hostgc.ModeEnforce) != there {
			t.Errorf("there: %v, %+v, %v", there, r, err)
		}
		v, err := k3sdata.Look(t.Context(), dir, k3sdata.Options{})
		if err != nil || len(v.Decisions) != 0 {
			t.Errorf("%+v, %v", v, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rke2data.Clean(t.Context(), dir+"/file", rke2data.Options{Mode: hostgc.ModeEnforce}, nil); err == nil {
		t.Error("a file is a data directory")
	}
}

// TestDefaultsOfTime: the real wait waits, and no longer than its caller.
func TestDefaultsOfTime(t *testing.T) {
	_, r, o := cleaning(t)
	o.Wait, o.Settle = nil, time.Nanosecond
	if report, err := clean(t, o); err != nil || len(r.removed) != 1 {
		t.Errorf("removed %v, %+v, %v", r.removed, report, err)
	}
	n, _, o := cleaning(t)
	o.Wait, o.Settle = nil, time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	o.Runtimes = func(context.Context) ([]datadir.RuntimeUse, error) {
		time.AfterFunc(time.Millisecond, cancel)
		return nil, nil
	}
	if _, err := datadir.Clean(ctx, rke2data.Product(), n.DataDir, o, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("waits for an hour: %v", err)
	}
}

func TestDataDirs(t *testing.T) {
	n, err := datadirtest.Parse([]byte(`x
-- node --
current v1.34.4-rke2r1-0d52262ea640
tree v1.31.14-rke2r1-d214997293ba
process 200 /usr/local/bin/rke2 server -d /srv/flag --debug
process 201 /usr/local/bin/rke2 server --data-dir=/srv/gone
-- root/etc/rancher/rke2/config.yaml --
# data-dir: /srv/comment
data-dir: "/srv/config"
-- root/etc/rancher/rke2/config.yaml.d/10.yaml --
data-dir: /srv/dropin # moved
-- root/etc/systemd/system/rke2-agent.service --
ExecStart=/usr/local/bin/rke2 agent --data-dir /srv/unit
-- root/etc/default/rke2-server --
RKE2_DATA_DIR='/srv/env'
-- root/srv/flag/x --
-- root/srv/config/x --
-- root/srv/dropin/x --
-- root/srv/unit/x --
-- root/srv/env/x --
-- root/srv/comment/x --
-- root/var/lib/rancher/k3s/x --
`), rke2data.DefaultDir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := datadir.DataDirs(t.Context(), rke2data.Product(), n.Root, n.Proc)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{"/srv/config", "/srv/dropin", "/srv/env", "/srv/flag", "/srv/unit", "/var/lib/rancher/rke2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, _ := datadir.DataDirs(t.Context(), k3sdata.Product(), n.Root, nil); !slices.Contains(got, "/var/lib/rancher/k3s") || slices.Contains(got, "/var/lib/rancher/rke2") {
		t.Errorf("of K3s: %q", got)
	}
	for _, line := range []string{"deny proc/100/exe", "deny root/etc/default/rke2-server"} {
		if err := n.Do(line); err != nil {
			t.Fatal(err)
		}
		if got, err := datadir.DataDirs(t.Context(), rke2data.Product(), n.Root, n.Proc); err == nil || len(got) != 1 {
			t.Errorf("%s: %q %v", line, got, err)
		}
		n.Put("proc/x", nil)
	}
}

func TestTrail(t *testing.T) {
	n := nodeWith(t, "", nil)
	v := wantVerdict(t, n, n.Options(), "garbage", "absent")
	steps := v.Trail(oldTree)
	if len(steps) != 9 || steps[0].Rule != hostgc.RuleOutside || steps[8].Keeps {
		t.Errorf("%+v", steps)
	}
	if v.Trail("none") != nil {
		t.Error("a trail of nothing")
	}
}

// TestUnseenProcesses: a /proc that does not show the node.
func TestUnseenProcesses(t *testing.T) {
	pod := "1 0 8:1 / / rw - overlay overlay rw\n2 1 8:1 /var/lib/kubelet/pods/x/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"
	for name, tt := range map[string]struct {
		change func(*datadirtest.Node) error
		why    string
	}{
		"empty":    {func(n *datadirtest.Node) error { return n.Do("recorded now") }, "no process at all"},
		"of a pod": {func(n *datadirtest.Node) error { n.Put("proc/1/mountinfo", []byte(pod)); return nil }, "PID 1 runs in a pod"},
		"hidepid":  {func(n *datadirtest.Node) error { n.Remove("proc/1"); return nil }, "PID 1 is not to be seen"},
		"no mounts": {func(n *datadirtest.Node) error {
			n.Put("proc/430/mountinfo", []byte("names "+oldTree))
			return n.Do("open 430 root -> /x")
		}, "not of the form"},
		"torn stat": {func(n *datadirtest.Node) error { n.Put("proc/110/stat", []byte("110 (x) S")); return nil }, "fields"},
		"start": {func(n *datadirtest.Node) error {
			n.Put("proc/110/stat", []byte("1 (x) S "+strings.Repeat("x ", 25)))
			return nil
		}, "start of process 110"},
		"uptime":     {func(n *datadirtest.Node) error { n.Put("proc/uptime", []byte("x")); return nil }, "/proc/uptime is"},
		"a big file": {func(n *datadirtest.Node) error { n.Put("root/etc/cni/net.d/x", make([]byte, 5<<20)); return nil }, "was not searched"},
		"deep":       {func(n *datadirtest.Node) error { n.Put("root/etc/cni/1/2/3/4/5/6/7/8", nil); return nil }, "directories deep"},
	} {
		t.Run(name, func(t *testing.T) {
			n := nodeWith(t, "", nil)
			if err := tt.change(n); err != nil {
				t.Fatal(err)
			}
			wantVerdict(t, n, n.Options(), "unknown", tt.why)
		})
	}
}

func TestDefaultRetain(t *testing.T) {
	n := nodeWith(t, "", nil)
	o := n.Options()
	o.Retain = 0
	wantVerdict(t, n, o, "unknown", "(retain: 1 older)")
}

// TestControl: where the running version is not known nothing may be called
// garbage in the directory, whatever else keeps what is in it.
func TestControl(t *testing.T) {
	n := nodeWith(t, "", nil)
	v := wantVerdict(t, n, n.Options(), "garbage", "")
	if scope, why := v.Hearing.Controls[v.Dir].Scope(); scope != hostgc.ScopeAll {
		t.Errorf("scope %v: %s", scope, why)
	}
	for _, pid := range []string{"100", "110", "120"} {
		n.Remove("proc/" + pid)
	}
	v = wantVerdict(t, n, n.Options(), "unknown", "positive control failed")
	if scope, _ := v.Hearing.Controls[v.Dir].Scope(); scope != hostgc.ScopeNone {
		t.Errorf("scope %v though nothing runs", scope)
	}
}

// TestSize: a file with two links is there once.
func TestSize(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "data", oldTree, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bin+"/runc", make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(bin+"/runc", bin+"/runc2"); err != nil {
		t.Fatal(err)
	}
	trees, err := datadir.Trees(t.Context(), os.DirFS("/"), rke2data.Product(), dir+"/data")
	if err != nil || len(trees) != 1 || trees[0].Count != 3 || trees[0].Bytes < 1<<20 || trees[0].Bytes > 3<<19 {
		t.Errorf("%+v, %v", trees, err)
	}
}
