package datadir_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
	"github.com/hostgc/hostgc/kind/rke2data"
)

// owned is a node with a directory of every sort, whose pods containerd's API
// names.
const owned = `a node
-- node --
current v1.34.4-rke2r1-0d52262ea640
tree v1.33.5-rke2r1-522501607126
tree v1.32.9-rke2r1-9eba4171acc3
tree v1.31.14-rke2r1-d214997293ba
tree v1.30.7-rke2r1-c4bdf51261cc
tree v1.29.1-rke2r1-aaaaaaaaaaaa 2h
tree v1.28.1-rke2r1-bbbbbbbbbbbb
link /usr/local/bin/kubectl -> $D/v1.30.7-rke2r1-c4bdf51261cc/bin/kubectl
link /usr/local/bin/crictl -> $D/v1.28.1-rke2r1-bbbbbbbbbbbb/bin/crictl
process 430 $D/v1.31.14-rke2r1-d214997293ba/bin/containerd-shim-runc-v2 -namespace k8s.io -id 1111111111111111111111111111111111111111111111111111111111111111
process 431 $D/v1.30.7-rke2r1-c4bdf51261cc/bin/containerd-shim-runc-v2 -namespace k8s.io -id 2222222222222222222222222222222222222222222222222222222222222222
-- root/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/3333333333333333333333333333333333333333333333333333333333333333/shim-binary-path --
$D/v1.31.14-rke2r1-d214997293ba/bin/containerd-shim-runc-v2
`

func ownedNode(t *testing.T) (*datadirtest.Node, datadir.Options) {
	t.Helper()
	n, err := datadirtest.Parse([]byte(owned), rke2data.DefaultDir)
	if err != nil {
		t.Fatal(err)
	}
	box := func(c string) string { return strings.Repeat(c, 64) }
	o := n.Options()
	o.Retain = 1
	o.Runtimes = func(context.Context) ([]datadir.RuntimeUse, error) {
		return []datadir.RuntimeUse{
			{ID: box("1"), Sandbox: box("1"), Pod: datadir.Pod{Namespace: "kube-system", Name: "coredns-0", UID: "u1"}, Runtime: "io.containerd.runc.v2"},
			{ID: box("3"), Sandbox: box("1")},
			{ID: box("2"), Sandbox: box("2"), Pod: datadir.Pod{Namespace: "shop", Name: "web-0", UID: "u2"}},
		}, nil
	}
	return n, o
}

func TestTable(t *testing.T) {
	n, o := ownedNode(t)
	v, err := datadir.Look(t.Context(), rke2data.Product(), n.DataDir, o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := datadir.Table(&b, v.Rows()); err != nil {
		t.Fatal(err)
	}
	want := `VERSION                               SIZE  VERDICT  KEPT BY
v1.28.1-rke2r1                      44 KiB  live     links
                                                     freed if what keeps it ends
v1.29.1-rke2r1                      44 KiB  young    young
                                                     freed if nothing in it changes until 2026-12-01 10:00 UTC
v1.30.7-rke2r1                      44 KiB  live     1 pod, processes, links
                                                     freed if these pods are deleted, and what else keeps it ends: shop/web-0
v1.31.14-rke2r1                     44 KiB  live     1 pod, processes, bundles
                                                     freed if these pods are deleted: kube-system/coredns-0
v1.32.9-rke2r1                      44 KiB  garbage  nothing
                                                     freed if it is swept: nothing keeps it
v1.33.5-rke2r1                      44 KiB  unknown  held
                                                     freed if this ends: it is among the newest 2 (retain: 1 older)
v1.34.4-rke2r1 (current)            44 KiB  live     1 pod, processes, links, bundles
                                                     freed if another version runs

44 KiB free
delete 1 pod (kube-system/coredns-0) to free 44 KiB
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	lines, err := v.Explain(data + "v1.31.14-rke2r1-d214997293ba")
	if err != nil || len(lines) != 3 {
		t.Fatalf("%q %v", lines, err)
	}
	for _, line := range lines {
		if !strings.Contains(line, "pod kube-system/coredns-0 (sandbox 1111111111111) ") || !strings.HasSuffix(line, ": delete the pod to let it go") {
			t.Errorf("not to be acted on: %s", line)
		}
	}
}

func TestRuntimesMute(t *testing.T) {
	n, o := ownedNode(t)
	o.Runtimes = func(context.Context) ([]datadir.RuntimeUse, error) { return nil, errors.New("no such socket") }
	v, err := datadir.Look(t.Context(), rke2data.Product(), n.DataDir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range v.Decisions {
		if d.Verdict == "garbage" {
			t.Errorf("%s is garbage", d.Object.Name)
		}
	}
	for _, r := range v.Rows() {
		if r.Version == "v1.32.9-rke2r1" && !strings.Contains(strings.Join(r.KeptBy, ""), "no such socket") {
			t.Errorf("does not say why: %+v", r)
		}
	}
}

func TestRuntimesRefer(t *testing.T) {
	n, o := ownedNode(t)
	o.Runtimes = func(context.Context) ([]datadir.RuntimeUse, error) {
		return []datadir.RuntimeUse{{ID: "x", Paths: []string{data + "v1.32.9-rke2r1-9eba4171acc3/bin/runc"}}}, nil
	}
	v, err := datadir.Look(t.Context(), rke2data.Product(), n.DataDir, o)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := v.Decision("v1.32.9-rke2r1-9eba4171acc3")
	if d.Verdict != "live" || !strings.Contains(d.Because[0].Text, "crictl inspectp x names it") {
		t.Errorf("%+v", d)
	}
}

func TestTableOfHashes(t *testing.T) {
	rows := []datadir.Row{
		{Name: strings.Repeat("a", 64), Bytes: 200 << 20, Verdict: "live", Pods: []string{"a/b"}, FreedByPods: true, FreedIf: "x", KeptBy: []string{"bundles: y"}},
		{Name: strings.Repeat("b", 64), Bytes: 300 << 20, Verdict: "live", Pods: []string{"c/d", "e/f"}, FreedByPods: true, KeptBy: []string{"bundles: y"}},
		{Name: strings.Repeat("c", 64), Bytes: 100 << 20, Verdict: "garbage"},
	}
	var b strings.Builder
	if err := datadir.Table(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `VERSION                               SIZE  VERDICT  KEPT BY
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…   200 MiB  live     1 pod, bundles
                                                     freed if x
bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…   300 MiB  live     2 pods, bundles
ccccccccccccccccccccccccccccccc…   100 MiB  garbage  nothing

100 MiB free
delete 2 pods (c/d, e/f) to free 300 MiB
delete 1 pod (a/b) to free 200 MiB
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
