package datadir

import (
	"context"
	"path"
)

// containerdConfig are the references in containerd's configuration: bin_dir,
// runtime_path, BinaryName. RKE2 and K3s make config.toml at each start, from
// config.toml.tmpl where an operator put one, which names whatever was current
// when it was written. The configuration also tells of other state directories
// and roots.
func containerdConfig(ctx context.Context, s *search) (string, error) {
	x := &texts{search: s, source: "containerd-config", what: "containerd's configuration",
		cure: "let it name /var/lib/rancher/…/bin, which is always current"}
	x.each = func(_, text string) {
		for _, m := range setting.FindAllStringSubmatch(text, -1) {
			if m[1] == "state" && path.IsAbs(m[2]) {
				s.states[m[2]] = true
			}
			if m[1] == "root" && path.IsAbs(m[2]) {
				s.roots = append(s.roots, m[2])
			}
		}
	}
	err := x.all(ctx, below(s.dataDir)+"/agent/etc/containerd", "var/lib/rancher/*/agent/etc/containerd",
		"etc/containerd", "var/snap/microk8s/current/args", "etc/k0s", "etc/crictl.yaml", "etc/docker")
	return count(x.count, "file"), err
}
