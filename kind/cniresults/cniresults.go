// Package cniresults is the kind cni-results: the cache entries of the networks
// to which the container runtime attached a pod.
//
// containerd and CRI-O call the node's network through libcni, which keeps
//
//	/var/lib/cni/results/<network>-<sandbox>-<interface>
//
// from the ADD to the last DEL; containerd has one more for the loopback,
// cni-loopback-<sandbox>-lo. They stay for good where the runtime forgot the
// sandbox without a DEL: its state was wiped or moved, or it crashed between
// the ADD and saving the sandbox.
//
// The directory is shared. nerdctl, podman, buildkit, nomad and whoever else
// uses libcni have their entries here, and no CRI lists their containers. So an
// entry has to prove that it is a pod's sandbox:
//
//   - content that decodes has to agree with the name, and its argument
//     K8S_POD_INFRA_CONTAINER_ID has to be the sandbox;
//   - podman before 4.0 passed that argument too, with the container's name as
//     both namespace and pod, and no UID (podman#12083, #4398);
//   - where the content is damaged, or was written by libcni 0.7 and names
//     nobody, the network has to be the one that this node's runtime uses.
//
// What keeps an entry beside that: its sandbox, a process in its network
// namespace, or its pod.
package cniresults

import (
	"fmt"
	"slices"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/cnicache"
	"github.com/hostgc/hostgc/kind/torn"
)

// Name is the kind's name.
const Name = "cni-results"

// loopback is the network that the runtime makes for each sandbox itself.
const loopback = "cni-loopback"

// Kind is the kind for the results directories that are shared by all users of
// libcni. Networks are the names of the networks that this node's Kubernetes
// runtime attaches pods to.
func Kind(dirs, networks []string) hostgc.Kind {
	return hostgc.Kind{
		Name:  Name,
		Doc:   "cache entries of the networks to which the container runtime attached pods",
		Names: cnicache.Names,
		Dirs:  dirs,
		Mode:  hostgc.ModeEnforce,
		Age:   hostgc.DefaultAge,
		Match: cnicache.Match,
		Owner: cnicache.Owner,
		Inspect: func(o *hostgc.Object, content []byte) {
			inspect(o, content, networks)
		},
		Cause: cause,
		// libcni 1.1.2 and older cannot decode the empty entry and fail the DEL.
		EmptyBlocks: true,
	}
}

func inspect(o *hostgc.Object, content []byte, networks []string) {
	name, _ := cnicache.ParseName(o.Name)
	entry, err := cnicache.Parse(content)
	entry.Fill(o, name)
	switch {
	case torn.Damaged(err):
		o.Flaw = vouch(name, networks, err.Error())
	case err != nil:
		o.Flaw = "not ours: " + err.Error()
	case entry.Bare:
		o.Flaw = vouch(name, networks, "it names no owner")
	default:
		o.Flaw = flaw(name, entry)
	}
}

// vouch accepts an entry that does not say whose it is by its network, or says
// why not.
func vouch(name cnicache.Name, networks []string, because string) string {
	if name.Network == loopback || slices.Contains(networks, name.Network) {
		return ""
	}
	return fmt.Sprintf("%s, and network %q is not known to be the runtime's: it may be of a container that is no pod", because, name.Network)
}

// flaw says why a whole entry is not a pod's, or nothing.
func flaw(name cnicache.Name, entry cnicache.Entry) string {
	if text := entry.Disagreement(name); text != "" {
		return text
	}
	switch {
	case entry.InfraID == "":
		return "not made by Kubernetes: it has no K8S_POD_INFRA_CONTAINER_ID"
	case entry.PodUID == "" && entry.Namespace == entry.Pod:
		return fmt.Sprintf("not made by Kubernetes: pod and namespace are both %q and it has no UID, as podman writes it", entry.Pod)
	}
	return ""
}

func cause(o hostgc.Object, content []byte, _ func(rel string) bool) string {
	if o.Owner.Pod == "" { // what told of a pod is whole
		if _, err := cnicache.Parse(content); torn.Damaged(err) {
			return hostgc.CausePowerLoss
		}
	}
	return hostgc.CauseUnknownToCRI
}
