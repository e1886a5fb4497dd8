package cri

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/hostgc/hostgc"
)

const (
	containerd = "/run/containerd/containerd.sock"
	crio       = "/run/crio/crio.sock"
)

func ask(t *testing.T, r *Runtimes) (hostgc.Answer, error) {
	t.Helper()
	return r.Witness().Ask(t.Context())
}

func keys(claims []hostgc.Claim) []string {
	var keys []string
	for _, c := range claims {
		keys = append(keys, c.Ref.Key)
	}
	return keys
}

func TestClaimsEveryState(t *testing.T) {
	root := t.TempDir()
	f := &fake{name: "containerd",
		sandboxes: []*runtimeapi.PodSandbox{sandbox("a", "web", ready), sandbox("not-hex", "db", notReady), sandbox("c", "odd", 7)},
		containers: []*runtimeapi.Container{
			container("c1", "a", "app", runtimeapi.ContainerState_CONTAINER_RUNNING),
			container("c2", "unlisted", "init", runtimeapi.ContainerState_CONTAINER_EXITED),
		}}
	serve(t, root, containerd, f)
	r := New(root, nil)
	got, err := ask(t, r)
	if err != nil {
		t.Fatal(err)
	}
	ref := func(id string) hostgc.Ref { return hostgc.Ref{Space: hostgc.SpaceSandbox, Key: id} }
	want := hostgc.Answer{
		Says: "3 sandboxes, 2 containers at containerd 2.4.2 (unix:///run/containerd/containerd.sock)",
		Claims: []hostgc.Claim{
			{Ref: ref("a"), Witness: "cri", State: hostgc.StateReady, PodUID: "uid-of-web", Detail: "pod default/web is listed READY by containerd 2.4.2 (attempt 1)"},
			{Ref: ref("not-hex"), Witness: "cri", State: hostgc.StateNotReady, PodUID: "uid-of-db", Detail: "pod default/db is listed NOTREADY by containerd 2.4.2 (attempt 1)"},
			{Ref: ref("c"), Witness: "cri", State: hostgc.StateNotReady, PodUID: "uid-of-odd", Detail: "pod default/odd is listed 7 by containerd 2.4.2 (attempt 1)"},
			{Ref: ref("a"), Witness: "cri", Detail: "its container app is listed RUNNING by containerd 2.4.2"},
			{Ref: ref("unlisted"), Witness: "cri", Detail: "its container init is listed EXITED by containerd 2.4.2"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := f.filtered.Load(); n != 0 {
		t.Errorf("%d lists were asked for with a filter", n)
	}
	if diff := cmp.Diff(map[string]string{"c1": "a", "c2": "unlisted"}, r.Containers()); diff != "" {
		t.Error(diff)
	}
}

func TestPeers(t *testing.T) {
	root := t.TempDir()
	serve(t, root, crio, &fake{name: "cri-o"})
	r := New(root, []string{crio})
	if _, err := ask(t, r); err != nil {
		t.Fatal(err)
	}
	peers := r.Peers()
	if len(peers) != 1 {
		t.Fatalf("got %d peers", len(peers))
	}
	info, err := os.Stat(filepath.Join(root, crio))
	if err != nil {
		t.Fatal(err)
	}
	if made := peers[0].SocketMade; made.Before(info.ModTime()) || made.After(time.Now()) {
		t.Errorf("socket made at %s, but its mtime is %s", made, info.ModTime())
	}
	peers[0].SocketMade = time.Time{}
	want := Peer{Name: "cri-o", Version: "2.4.2", Endpoint: "unix:///run/crio/crio.sock",
		SocketPath: filepath.Join(root, crio), PID: os.Getpid()}
	if diff := cmp.Diff(want, peers[0]); diff != "" {
		t.Error(diff)
	}
}

// What one runtime says is no whole list while another is silent.
func TestMute(t *testing.T) {
	list := []*runtimeapi.PodSandbox{sandbox("a", "web", ready)}
	tests := map[string]struct {
		second func(t *testing.T, root string)
		named  []string
		want   []string // parts of the error
		claims []string
	}{
		"dead socket": {
			second: func(t *testing.T, root string) {
				l := listen(t, root, crio)
				l.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false)
				_ = l.Close()
			},
			want:   []string{"unix:///run/crio/crio.sock: Version: it cannot be reached", "connection refused"},
			claims: []string{"a"},
		},
		"hangs in one call": {
			second: func(t *testing.T, root string) { serve(t, root, crio, &fake{name: "cri-o", hang: true}) },
			want:   []string{"unix:///run/crio/crio.sock: ListContainers: it gave no answer within 1s"},
			claims: []string{"a"},
		},
		"accepts and says nothing": {
			second: func(t *testing.T, root string) { listen(t, root, crio) },
			want:   []string{"unix:///run/crio/crio.sock: Version: it gave no answer within 1s"},
			claims: []string{"a"},
		},
		"no CRI": {
			second: func(t *testing.T, root string) {
				serve(t, root, crio, runtimeapi.UnimplementedRuntimeServiceServer{})
			},
			want:   []string{"unix:///run/crio/crio.sock: Version: it serves no CRI v1: its CRI plugin is disabled or failed to load", "--cri"},
			claims: []string{"a"},
		},
		"sandbox without ID": {
			second: func(t *testing.T, root string) {
				serve(t, root, crio, &fake{name: "cri-o", sandboxes: []*runtimeapi.PodSandbox{sandbox("", "db", ready)}})
			},
			want:   []string{"cri-o 2.4.2 lists a sandbox without an ID (pod default/db)"},
			claims: []string{"a"},
		},
		"container without sandbox": {
			second: func(t *testing.T, root string) {
				serve(t, root, crio, &fake{name: "cri-o", containers: []*runtimeapi.Container{container("c", "", "app", 1)}})
			},
			want:   []string{`cri-o 2.4.2 lists container "c" (app) without its sandbox`},
			claims: []string{"a"},
		},
		"named and missing": {
			second: func(*testing.T, string) {},
			named:  []string{containerd, "/run/gone.sock", "/run/gone2.sock"},
			want:   []string{"unix:///run/gone.sock: Version: ", "unix:///run/gone2.sock: Version: ", "no such file"},
			claims: []string{"a"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			serve(t, root, containerd, &fake{name: "containerd", sandboxes: list})
			tt.second(t, root)
			r := New(root, tt.named)
			r.Timeout = time.Second
			got, err := ask(t, r)
			if err == nil {
				t.Fatal("not mute")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error lacks %q: %v", part, err)
				}
			}
			if diff := cmp.Diff(tt.claims, keys(got.Claims)); diff != "" {
				t.Error(diff)
			}
			if r.Peers() != nil || r.Containers() != nil {
				t.Error("a mute hearing left peers or containers")
			}
		})
	}
}

// gRPC tells the server how long its client waits.
func TestEachCallHasItsDeadline(t *testing.T) {
	root := t.TempDir()
	f := &fake{name: "containerd", hang: true}
	serve(t, root, containerd, f)
	r := New(root, nil)
	r.Timeout = 500 * time.Millisecond
	if _, err := ask(t, r); err == nil {
		t.Fatal("not mute")
	}
	if waits := time.Duration(f.patience.Load()); waits <= 0 || waits > r.Timeout {
		t.Errorf("the call waits for %s, not for %s at most", waits, r.Timeout)
	}
}

func TestNoSocket(t *testing.T) {
	_, err := ask(t, New(t.TempDir(), nil))
	if err == nil || !strings.Contains(err.Error(), "no CRI socket found") || !strings.Contains(err.Error(), "--cri") {
		t.Errorf("got %v", err)
	}
}

func TestEmptyListIsAnAnswer(t *testing.T) {
	root := t.TempDir()
	serve(t, root, containerd, &fake{name: "containerd"})
	got, err := ask(t, New(root, nil))
	if err != nil || len(got.Claims) != 0 {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestTwoRuntimesThenARestart(t *testing.T) {
	root := t.TempDir()
	one := &fake{name: "containerd", sandboxes: []*runtimeapi.PodSandbox{sandbox("a", "web", ready)}}
	serve(t, root, containerd, one)
	r := New(root, nil)
	if _, err := ask(t, r); err != nil {
		t.Fatal(err)
	}
	serve(t, root, crio, &fake{name: "cri-o", sandboxes: []*runtimeapi.PodSandbox{sandbox("b", "db", ready)}})
	got, err := ask(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, keys(got.Claims)); diff != "" {
		t.Errorf("the runtime that came later was not heard: %s", diff)
	}
	if err := os.Remove(filepath.Join(root, containerd)); err != nil {
		t.Fatal(err)
	}
	serve(t, root, containerd, &fake{name: "containerd", sandboxes: []*runtimeapi.PodSandbox{sandbox("new", "web", ready)}})
	got, err = ask(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new", "b"}, keys(got.Claims)); diff != "" {
		t.Errorf("the socket's new owner was not heard: %s", diff)
	}
}

// A sandbox that gets listed between the two calls must not be missed.
func TestListedInBetween(t *testing.T) {
	root := t.TempDir()
	f := &fake{name: "containerd"}
	f.between = func() { f.sandboxes = append(f.sandboxes, sandbox("newborn", "web", ready)) }
	serve(t, root, containerd, f)
	got, err := ask(t, New(root, nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"newborn"}, keys(got.Claims)); diff != "" {
		t.Error(diff)
	}
}

func TestHugeList(t *testing.T) {
	root := t.TempDir()
	f := &fake{name: "containerd"}
	for i := range 5000 {
		s := sandbox(fmt.Sprintf("%064x", i), fmt.Sprintf("web-%d", i), ready)
		s.Annotations = map[string]string{"filler": strings.Repeat("x", 2000)}
		f.sandboxes = append(f.sandboxes, s)
	}
	serve(t, root, containerd, f)
	got, err := ask(t, New(root, nil))
	if err != nil || len(got.Claims) != 5000 {
		t.Fatalf("got %d claims, %v", len(got.Claims), err)
	}
}

func TestStopsWithItsContext(t *testing.T) {
	root := t.TempDir()
	listen(t, root, containerd)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(root, nil).Witness().Ask(ctx); err == nil {
		t.Fatal("a cancelled hearing gave an answer")
	}
}
