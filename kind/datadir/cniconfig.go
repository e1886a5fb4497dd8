package datadir

import (
	"context"
)

// cniConfig are the references in CNI configuration: a plugin's path, a
// kubeconfig, binDir of Multus.
func cniConfig(ctx context.Context, s *search) (string, error) {
	x := &texts{search: s, source: "cni-config", what: "the CNI configuration",
		cure: "let it name /var/lib/rancher/…/bin, which is always current"}
	err := x.all(ctx, "etc/cni", below(s.dataDir)+"/agent/etc/cni", "var/lib/rancher/*/agent/etc/cni",
		"etc/kubernetes/cni", "run/multus")
	return count(x.count, "file"), err
}
