package cri

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// maxList is the largest list taken, in bytes; a sandbox or container with
// many labels and annotations takes about 2 kB. Runtimes cap what they send at
// 16 MiB by default.
const maxList = 64 << 20

// Peer is a runtime that answered.
type Peer struct {
	Name       string // as its Version call says: containerd, cri-o, docker
	Version    string
	Endpoint   string    // the socket on the host, as unix:///run/crio/crio.sock
	SocketPath string    // the path by which it was reached, below the host's root
	SocketMade time.Time // when it made its socket, by the wall clock of then
	PID        int       // of the process that listens; 0 where it is not visible from here
}

// session is a connection to one runtime, for one hearing.
//
// Connections are not kept from hearing to hearing: the one who counts is the
// one who owns the socket now, and gRPC would answer from its back-off for up
// to two minutes after a runtime came back.
type session struct {
	conn    *grpc.ClientConn
	api     runtimeapi.RuntimeServiceClient
	timeout time.Duration // of each call

	mu   sync.Mutex
	peer Peer
}

// list is all that a runtime knows.
type list struct {
	peer       Peer
	sandboxes  []*runtimeapi.PodSandbox
	containers []*runtimeapi.Container
}

func open(root, socket string, timeout time.Duration) (*session, error) {
	s := &session{timeout: timeout}
	conn, err := grpc.NewClient("passthrough:///"+socket,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithAuthority("localhost"), // servers refuse a path here
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxList)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			conn, peer, err := dial(ctx, root, socket)
			if err == nil {
				s.mu.Lock()
				s.peer = peer
				s.mu.Unlock()
			}
			return conn, err
		}))
	if err != nil {
		return nil, err
	}
	s.conn, s.api = conn, runtimeapi.NewRuntimeServiceClient(conn)
	return s, nil
}

func (s *session) close() { _ = s.conn.Close() }

// list asks for containers first and for sandboxes last. A sandbox that gets
// listed between the two calls is then in the second; the other way round it
// would be in neither while it has no container. One that goes between them
// has had its CNI DEL, and is kept by its containers if it had any.
func (s *session) list(ctx context.Context) (list, error) {
	version, err := call(ctx, s, s.api.Version, &runtimeapi.VersionRequest{})
	if err != nil {
		return list{}, err
	}
	containers, err := call(ctx, s, s.api.ListContainers, &runtimeapi.ListContainersRequest{})
	if err != nil {
		return list{}, err
	}
	sandboxes, err := call(ctx, s, s.api.ListPodSandbox, &runtimeapi.ListPodSandboxRequest{})
	if err != nil {
		return list{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peer.Name, s.peer.Version = version.GetRuntimeName(), version.GetRuntimeVersion()
	return list{s.peer, sandboxes.GetItems(), containers.GetContainers()}, nil
}

// call makes one call within the session's time limit, and says in an error
// what an operator can do.
func call[Req, Resp any](ctx context.Context, s *session, method func(context.Context, Req, ...grpc.CallOption) (Resp, error), req Req) (Resp, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	resp, err := method(ctx, req)
	if err == nil {
		return resp, nil
	}
	what := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", req), "*v1."), "Request")
	return resp, fmt.Errorf("%s: %s: %w", what, advice(status.Code(err), s.timeout), err)
}

func advice(code codes.Code, timeout time.Duration) string {
	switch code {
	case codes.Unimplemented:
		return "it serves no CRI v1: its CRI plugin is disabled or failed to load, or it is older than containerd 1.6; if this is Docker's containerd, name the node's own socket with --cri"
	case codes.DeadlineExceeded:
		return fmt.Sprintf("it gave no answer within %s; see whether \"crictl pods\" answers, and look at the runtime's log", timeout)
	case codes.Unavailable:
		return "it cannot be reached; is the runtime running, and may hostgc open its socket?"
	case codes.ResourceExhausted:
		return "its list is larger than it may send or hostgc may take; remove exited containers"
	default:
		return "it refused; look at the runtime's log"
	}
}
