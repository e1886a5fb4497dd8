package build

import "path"

// recipe says how some programs are made from one module.
type recipe struct {
	name     string
	module   string
	version  string
	programs []string // packages, as paths below the module
	plugins  bool     // they are CNI plugins
	proof    string   // what cannot be shown without them

	how   func(b *builder, r recipe) error
	tags  string
	flags string // for the linker
	cgo   bool
}

// recipes lists all programs of the bed, those of the smaller proof first.
func recipes(v versions) []recipe {
	const containerd = "github.com/containerd/containerd/v2"
	return []recipe{
		{
			name: "app", version: "source", proof: "test at all",
			module: "github.com/hostgc/hostgc/e2e", programs: []string{"cmd/app"}, how: goBuildHere,
		},
		{
			name: "runc", module: "github.com/opencontainers/runc", version: v.runc, proof: "test at all",
			programs: []string{"."}, how: goInstall, cgo: true,
			tags: "seccomp", // kubelet has every sandbox filtered
		},
		{
			name: "containerd", module: containerd, version: v.containerd, proof: "test at all",
			programs: []string{"cmd/containerd", "cmd/containerd-shim-runc-v2", "cmd/ctr"}, how: goInstall,
			tags:  "no_btrfs no_zfs no_devmapper urfave_cli_no_docs",
			flags: "-X " + containerd + "/version.Version=" + v.containerd,
		},
		{
			// A pod of RKE2 1.30 was started by it, and its records are of another
			// form than those of containerd 2.
			name: "containerd1", module: "github.com/containerd/containerd", version: containerd1, proof: "proof with data directories of containerd 1",
			programs: []string{"cmd/containerd", "cmd/containerd-shim-runc-v2"}, how: goBuildScratch,
			tags:  "no_btrfs no_zfs no_devmapper no_aufs urfave_cli_no_docs",
			flags: "-X github.com/containerd/containerd/version.Version=" + containerd1,
		},
		{
			name: "cni", module: "github.com/containernetworking/plugins", version: v.cni, proof: "test at all",
			programs: []string{
				"plugins/main/bridge", "plugins/main/loopback",
				"plugins/ipam/host-local", "plugins/meta/portmap",
			},
			plugins: true, how: goInstall,
		},
		{
			name: "multus", module: multusModule, version: v.multus, proof: "proof with Multus",
			programs: []string{"cmd/multus", "cmd/multus-shim"}, plugins: true, how: goBuildScratch,
		},
		{
			name: "multus-daemon", module: multusModule, version: v.multus, proof: "proof with the thick Multus",
			programs: []string{"cmd/multus-daemon"}, how: goBuildScratch,
		},
		{
			name: "etcd", module: "go.etcd.io/etcd/server/v3", version: v.etcd, proof: "proof with Kubernetes",
			programs: []string{"."}, how: goBuildScratch,
		},
		{
			name: "kubernetes", module: "k8s.io/kubernetes", version: v.kubernetes, proof: "proof with Kubernetes",
			programs: []string{"cmd/kubelet", "cmd/kube-apiserver", "cmd/kube-controller-manager", "cmd/kube-scheduler"},
			how:      goBuildScratch,
			flags:    kubernetesVersion(v.kubernetes),
		},
	}
}

// containerd1 is the last of the line that RKE2 1.30 carried.
const containerd1 = "v1.7.29"

const multusModule = "gopkg.in/k8snetworkplumbingwg/multus-cni.v4"

// names gives the programs' names: the last elements of their packages, or
// the recipe's name for a package at the module's root.
func (r recipe) names() []string {
	var names []string
	for _, p := range r.programs {
		if p == "." {
			p = r.name
		}
		names = append(names, path.Base(p))
	}
	return names
}

// packages gives the import paths.
func (r recipe) packages() []string {
	var packages []string
	for _, p := range r.programs {
		packages = append(packages, path.Join(r.module, p))
	}
	return packages
}
