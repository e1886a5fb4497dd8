package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// runtimeOf serves the lists of a recorded node as its runtime would.
type runtimeOf struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	sandboxes  runtimeapi.ListPodSandboxResponse
	containers runtimeapi.ListContainersResponse
	asked      func()
}

func (r *runtimeOf) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{RuntimeName: "containerd", RuntimeVersion: "v2.4.2"}, nil
}

func (r *runtimeOf) ListPodSandbox(context.Context, *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	r.asked()
	return &r.sandboxes, nil
}

func (r *runtimeOf) ListContainers(context.Context, *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	return &r.containers, nil
}

// alive starts the runtime of a recorded node. Its files are seconds old, so
// hostgc is told to take anything for old enough.
func alive(t *testing.T, node string) (recorded, *runtimeOf) {
	t.Helper()
	n := unpack(t, node)
	r := &runtimeOf{asked: func() {}}
	for file, into := range map[string]proto.Message{"crictl-pods.json": &r.sandboxes, "crictl-containers.json": &r.containers} {
		b, err := os.ReadFile(filepath.Join(n.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := protojson.Unmarshal(b, into); err != nil {
			t.Fatal(err)
		}
	}
	server := grpc.NewServer()
	runtimeapi.RegisterRuntimeServiceServer(server, r)
	done := make(chan struct{})
	l := socket(t, n, "run/containerd/containerd.sock")
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { server.Stop(); <-done })
	return n, r
}

// socket listens by the name alone: a test's directory can be longer than a
// socket's address may be.
func socket(t *testing.T, n recorded, path string) net.Listener {
	t.Helper()
	path = filepath.Join(n.dir, "root", path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(path))
	l, err := net.Listen("unix", filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func liveArgs(n recorded, command string, more ...string) []string {
	return append([]string{command, "--root", n.dir + "/root", "-o", "json", "--log-level", "error",
		"--min-age", "1ns", "--unsafe-short-age"}, more...)
}

func TestSweepByCRI(t *testing.T) {
	n, _ := alive(t, "killed-all")
	want := n.withoutGarbage()
	n.hostgc(exitDone, liveArgs(n, "sweep", "--settle", "0s")...)
	if diff := cmp.Diff(want, n.files()); diff != "" {
		t.Errorf("files that are left (-want +got):\n%s", diff)
	}
}

// A second runtime that does not answer may have sandboxes of its own.
func TestSecondRuntimeIsMute(t *testing.T) {
	n, _ := alive(t, "killed-all")
	before := n.files()
	l := socket(t, n, "run/cri-dockerd.sock")
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close() // the socket stays, and nobody listens
	doc, _ := n.hostgc(exitBlind, liveArgs(n, "sweep", "--settle", "0s")...)
	if diff := cmp.Diff(before, n.files()); diff != "" {
		t.Errorf("files were removed:\n%s", diff)
	}
	if !reasons(doc, "cri-dockerd.sock") {
		t.Error("no decision names the socket that did not answer")
	}
	// Naming the node's own runtime is the operator's word that it is the only one.
	n.hostgc(exitDone, liveArgs(n, "scan", "--cri", "unix:///run/containerd/containerd.sock")...)
}

func TestCheckOfALiveNode(t *testing.T) {
	n, _ := alive(t, "killed-all")
	args := append(liveArgs(n, "check"), "-o", "table")
	out, _ := cli(t, exitDone, args...)
	for _, want := range []string{"5 sandboxes", "running sandboxes have entries here", "inodes free", "openat2"} {
		if !strings.Contains(out, want) {
			t.Errorf("check does not say %q:\n%s", want, out)
		}
	}
	out, stderr := cli(t, exitBlind, append(args, "--cri", "/run/nothing.sock")...)
	if !strings.Contains(out, "FIX: start the runtime") || !strings.Contains(stderr, "cannot judge here") {
		t.Errorf("with no runtime, check says:\n%s%s", out, stderr)
	}
}

// The agent's second cycle confirms its first, within the ramp; SIGTERM ends it.
func TestRun(t *testing.T) {
	n, r := alive(t, "killed-all")
	want := n.withoutGarbage()
	config := filepath.Join(n.dir, "hostgc.yaml")
	n.write("hostgc.yaml", "settle: 0s\ninterval: 1ms\njitter: 0s\nstateDir: \"\"\nlisten: \"\"\n")
	var counts []int
	ctx, stop := context.WithCancel(t.Context())
	r.asked = func() {
		if counts = append(counts, len(n.files())); len(counts) == 5 {
			stop()
		}
	}
	var out, errs bytes.Buffer
	args := append(liveArgs(n, "run"), "--config", config, "--log-level", "info")
	if code := run(ctx, args, &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if diff := cmp.Diff(want, n.files()); diff != "" {
		t.Errorf("files that are left (-want +got):\n%s", diff)
	}
	// Garbage of 20, 24 and 11 goes in steps of at most 10, then 100, of a kind.
	start := counts[0]
	if got := []int{start - counts[1], start - counts[2], start - counts[3]}; !slices.Equal(got, []int{0, 30, 55}) {
		t.Errorf("removed before the 2nd, 3rd and 4th cycle: %v, want 0, 30, 55", got)
	}
	for _, want := range []string{"msg=removed", "msg=looked", "msg=stopped"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("the log does not say %s", want)
		}
	}
}

func TestTwinsDoNotSweepAtOnce(t *testing.T) {
	n, r := alive(t, "killed-all")
	before := n.files()
	first := true
	r.asked = func() {
		if !first {
			return
		}
		first = false
		_, stderr := cli(t, exitFailed, liveArgs(n, "sweep", "--settle", "0s")...)
		if !strings.Contains(stderr, "another hostgc is at work") {
			t.Errorf("the second hostgc says %q", stderr)
		}
		if len(n.files()) != len(before) {
			t.Error("the second hostgc removed something")
		}
	}
	n.hostgc(exitDone, liveArgs(n, "sweep", "--settle", "0s")...)
	if first {
		t.Error("the runtime was not asked")
	}
}
