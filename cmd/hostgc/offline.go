package main

import (
	"context"
	"time"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/witness/offline"
)

// offline takes the witnesses of a node that is judged from files.
func (h *host) offline() {
	f := h.flags
	h.node.Witnesses = append(h.node.Witnesses, offline.CRI(f.crictlPods, f.crictlContainers))
	h.node.Containers = func() []string { return nil }
	h.node.HostNetwork = func(context.Context, []string) (map[string]bool, error) { return nil, nil }
	h.node.Terms = func() (hostgc.Terms, error) {
		return hostgc.Terms{Now: h.at, Age: time.Duration(h.config.MinAge), Offline: true}, nil
	}
	if f.kubectlPods != "" {
		h.node.HostNetwork = offline.HostNetwork(f.crictlPods, f.kubectlPods)
		w := offline.Pods(f.kubectlPods, f.node)
		h.node.Pods = &w
	}
}
