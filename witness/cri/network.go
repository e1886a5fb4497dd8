package cri

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// HostNetwork tells of sandboxes of the last hearing whether they share the
// node's network, and so have no CNI state. The list does not say it: it takes
// a call for each, and is remembered, for it never changes.
//
// A sandbox that is gone meanwhile is left out. With an error comes what was
// learnt before it.
func (r *Runtimes) HostNetwork(ctx context.Context, ids []string) (map[string]bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sessions := map[string]*session{}
	defer func() {
		for _, s := range sessions {
			s.close()
		}
	}()
	told := map[string]bool{}
	for _, id := range ids {
		if err := r.learn(ctx, sessions, id); err != nil {
			return told, fmt.Errorf("network of sandbox %s: %w", id, err)
		}
		if node, ok := r.node[id]; ok {
			told[id] = node
		}
	}
	return told, nil
}

func (r *Runtimes) learn(ctx context.Context, sessions map[string]*session, id string) error {
	if _, ok := r.node[id]; ok {
		return nil
	}
	socket, ok := r.last.sockets[id]
	if !ok {
		return errors.New("it is not in the runtimes' last list")
	}
	s, ok := sessions[socket]
	if !ok {
		var err error
		if s, err = open(r.root, socket, r.Timeout); err != nil {
			return err
		}
		sessions[socket] = s
	}
	resp, err := call(ctx, s, s.api.PodSandboxStatus, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: id})
	if status.Code(err) == codes.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	network := resp.GetStatus().GetLinux().GetNamespaces().GetOptions().GetNetwork()
	r.node[id] = network == runtimeapi.NamespaceMode_NODE
	return nil
}
