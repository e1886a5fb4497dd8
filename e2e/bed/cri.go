package bed

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"net"
)

// CRI is a client of the node's container runtime. It is the test's own way to
// know what is alive, beside hostgc's.
type CRI struct {
	conn    *grpc.ClientConn
	Runtime runtimeapi.RuntimeServiceClient
}

func dialCRI(n *Node) (*CRI, error) {
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		return n.Dial(ctx, "unix", address)
	}
	conn, err := grpc.NewClient("passthrough:///"+ContainerdSocket,
		grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("connect to the CRI: %w", err)
	}
	return &CRI{conn, runtimeapi.NewRuntimeServiceClient(conn)}, nil
}

func (c *CRI) close() { _ = c.conn.Close() }

// Answers reports an error unless the CRI plugin serves requests.
func (c *CRI) Answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := c.Runtime.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{}, grpc.WaitForReady(true))
	return err
}

// CRI gives the client of the runtime that runs now.
func (n *Node) CRI() *CRI {
	n.t.Helper()
	if n.cri == nil {
		n.t.Fatal("containerd does not run on the node")
	}
	return n.cri
}
