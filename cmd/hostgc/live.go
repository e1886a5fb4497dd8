package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/witness/cri"
	"github.com/hostgc/hostgc/witness/kubeapi"
	"github.com/hostgc/hostgc/witness/offline"
	"github.com/hostgc/hostgc/witness/proc"
)

// live takes the witnesses of a running node.
func (h *host) live() error {
	var sockets []string
	for _, e := range h.config.CRI {
		s, err := cri.ParseEndpoint(e)
		if err != nil {
			return err
		}
		sockets = append(sockets, s)
	}
	r := cri.New(h.flags.root, sockets)
	h.node.Witnesses = append(h.node.Witnesses, r.Witness())
	h.node.HostNetwork = r.HostNetwork
	h.node.Containers = func() []string { return slices.Collect(maps.Keys(r.Containers())) }
	h.node.Terms = func() (hostgc.Terms, error) { return h.terms(r.Peers()) }
	if h.proc != nil && h.view == nil {
		h.node.Self = proc.SelfIDs(h.proc)
		h.node.Sees = func() bool { return h.sees(r.Peers()) }
	}
	h.node.PodsNeeded = true
	return h.pods()
}

// pods finds who can tell of this node's pods.
func (h *host) pods() error {
	if f := h.flags.kubectlPods; f != "" {
		w := offline.Pods(f, h.flags.node)
		h.node.Pods = &w
		return nil
	}
	w, err := kubeapi.New(h.config.Kubeconfig, h.node.Name)
	switch {
	case errors.Is(err, kubeapi.ErrNotConfigured):
		return nil
	case err != nil && h.config.Kubeconfig != "":
		return err
	case err != nil:
		// In a pod whose account cannot be read: mute, should it be needed.
		h.node.Pods = &hostgc.Witness{Name: "kubeapi", Speaks: []hostgc.Space{hostgc.SpacePod}, Ask: fails(err)}
		return nil
	}
	h.node.Pods = &w
	return nil
}

// terms reads the clocks and the ages of the runtimes.
func (h *host) terms(peers []cri.Peer) (hostgc.Terms, error) {
	up, err := proc.SinceBoot()
	if err != nil {
		return hostgc.Terms{}, err
	}
	now := time.Now()
	t := hostgc.Terms{Now: now, Age: time.Duration(h.config.MinAge), Boot: now.Add(-up), Uptime: up}
	for _, p := range peers {
		t.Runtimes = append(t.Runtimes, hostgc.Runtime{
			Name: p.Name, Version: p.Version, Endpoint: p.Endpoint, Started: p.SocketMade, Up: h.upFor(p, up),
		})
	}
	return t, nil
}

// upFor gives how long a runtime's process is up by the boot clock; 0 where
// that process is not seen.
func (h *host) upFor(p cri.Peer, sinceBoot time.Duration) time.Duration {
	if p.PID == 0 || h.proc == nil {
		return 0
	}
	ago, err := proc.StartedAgo(h.proc, p.PID, sinceBoot)
	if err != nil {
		h.log.Debug("how long the runtime is up", "runtime", p.Endpoint, "error", err)
		return 0
	}
	return ago
}

// sees reports whether the process of each runtime is in /proc. The kernel
// gives its PID in our PID namespace; where that is another than the one which
// /proc shows, there is no such process, or one that did not make the socket.
func (h *host) sees(peers []cri.Peer) bool {
	up, err := proc.SinceBoot()
	if err != nil || len(peers) == 0 {
		return false
	}
	now := time.Now()
	for _, p := range peers {
		r := hostgc.Runtime{Started: p.SocketMade, Up: h.upFor(p, up)}
		if _, err := fs.Stat(h.proc, strconv.Itoa(p.PID)); err != nil || !r.Steady(now) {
			return false
		}
	}
	return true
}

func fails(err error) func(context.Context) (hostgc.Answer, error) {
	return func(context.Context) (hostgc.Answer, error) {
		return hostgc.Answer{}, fmt.Errorf("setting up the client: %w", err)
	}
}
