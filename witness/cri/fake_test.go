package cri

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// fake is a runtime that serves its lists on a real socket.
type fake struct {
	runtimeapi.UnimplementedRuntimeServiceServer

	name       string
	sandboxes  []*runtimeapi.PodSandbox
	containers []*runtimeapi.Container
	hostNet    map[string]bool

	filtered atomic.Int32 // lists that were asked for with a filter
	statuses atomic.Int32
	hang     bool         // ListContainers never answers
	patience atomic.Int64 // how long the caller of a hanging call would wait
	between  func()       // runs after the first of the two lists
	listed   atomic.Int32
}

func (f *fake) Version(context.Context, *runtimeapi.VersionRequest) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{RuntimeName: f.name, RuntimeVersion: "2.4.2"}, nil
}

func (f *fake) ListPodSandbox(_ context.Context, req *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	if req.GetFilter() != nil {
		f.filtered.Add(1)
	}
	resp := &runtimeapi.ListPodSandboxResponse{Items: f.sandboxes}
	f.first()
	return resp, nil
}

func (f *fake) ListContainers(ctx context.Context, req *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	if req.GetFilter() != nil {
		f.filtered.Add(1)
	}
	if f.hang {
		if deadline, ok := ctx.Deadline(); ok {
			f.patience.Store(int64(time.Until(deadline)))
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	resp := &runtimeapi.ListContainersResponse{Containers: f.containers}
	f.first()
	return resp, nil
}

func (f *fake) first() {
	if f.listed.Add(1) == 1 && f.between != nil {
		f.between()
	}
}

func (f *fake) PodSandboxStatus(_ context.Context, req *runtimeapi.PodSandboxStatusRequest) (*runtimeapi.PodSandboxStatusResponse, error) {
	f.statuses.Add(1)
	node, ok := f.hostNet[req.GetPodSandboxId()]
	if !ok {
		return nil, status.Error(codes.NotFound, "no such sandbox")
	}
	mode := runtimeapi.NamespaceMode_POD
	if node {
		mode = runtimeapi.NamespaceMode_NODE
	}
	return &runtimeapi.PodSandboxStatusResponse{Status: &runtimeapi.PodSandboxStatus{
		Linux: &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{
			Options: &runtimeapi.NamespaceOption{Network: mode}}},
	}}, nil
}

// listen makes a socket of the host below root, with its directory.
func listen(t *testing.T, root, socket string) net.Listener {
	t.Helper()
	path := filepath.Join(root, socket)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(path)) // a test's directory can be longer than a socket address
	l, err := net.Listen("unix", filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// serve serves a runtime on a socket of the host below root.
func serve(t *testing.T, root, socket string, f runtimeapi.RuntimeServiceServer) {
	t.Helper()
	l := listen(t, root, socket)
	server := grpc.NewServer(grpc.MaxSendMsgSize(maxList))
	runtimeapi.RegisterRuntimeServiceServer(server, f)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	t.Cleanup(func() { server.Stop(); <-done })
}

func sandbox(id, name string, state runtimeapi.PodSandboxState) *runtimeapi.PodSandbox {
	return &runtimeapi.PodSandbox{Id: id, State: state, Metadata: &runtimeapi.PodSandboxMetadata{
		Namespace: "default", Name: name, Uid: "uid-of-" + name, Attempt: 1}}
}

func container(id, of, name string, state runtimeapi.ContainerState) *runtimeapi.Container {
	return &runtimeapi.Container{Id: id, PodSandboxId: of, State: state,
		Metadata: &runtimeapi.ContainerMetadata{Name: name}}
}

const (
	ready    = runtimeapi.PodSandboxState_SANDBOX_READY
	notReady = runtimeapi.PodSandboxState_SANDBOX_NOTREADY
)
