package cri

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestHostNetwork(t *testing.T) {
	root := t.TempDir()
	one := &fake{name: "containerd", hostNet: map[string]bool{"host": true, "own": false},
		sandboxes: []*runtimeapi.PodSandbox{sandbox("host", "proxy", ready), sandbox("own", "web", ready), sandbox("gone", "old", ready)}}
	two := &fake{name: "cri-o", hostNet: map[string]bool{"host2": true},
		sandboxes: []*runtimeapi.PodSandbox{sandbox("host2", "proxy", ready)}}
	serve(t, root, containerd, one)
	serve(t, root, crio, two)
	r := New(root, nil)
	if _, err := ask(t, r); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"host": true, "own": false, "host2": true}
	for range 2 {
		got, err := r.HostNetwork(t.Context(), []string{"host", "own", "gone", "host2"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	// The two that are there were asked about once, the one that is gone twice.
	if n := one.statuses.Load(); n != 4 {
		t.Errorf("%d status calls, want 4: known sandboxes are asked about again", n)
	}
	got, err := r.HostNetwork(t.Context(), []string{"host", "stranger"})
	if err == nil || !strings.Contains(err.Error(), "stranger") {
		t.Errorf("got %v for a sandbox that no runtime lists", err)
	}
	if diff := cmp.Diff(map[string]bool{"host": true}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHostNetworkForgetsTheUnlisted(t *testing.T) {
	root := t.TempDir()
	f := &fake{name: "containerd", hostNet: map[string]bool{"a": true}, sandboxes: []*runtimeapi.PodSandbox{sandbox("a", "web", ready)}}
	serve(t, root, containerd, f)
	r := New(root, nil)
	if _, err := ask(t, r); err != nil {
		t.Fatal(err)
	}
	if _, err := r.HostNetwork(t.Context(), []string{"a"}); err != nil || len(r.node) != 1 {
		t.Fatalf("got %v, %v", r.node, err)
	}
	f.sandboxes = nil
	if _, err := ask(t, r); err != nil {
		t.Fatal(err)
	}
	if len(r.node) != 0 {
		t.Errorf("memory grows with every sandbox that ever was: %v", r.node)
	}
}
