package cnicache

import (
	"fmt"

	"github.com/hostgc/hostgc"
)

// Disagreement says where an entry contradicts the name of its file, or itself.
// It is empty where they agree; a bare entry contradicts nothing.
//
// A file that disagrees was not written by the libcni of a pod's sandbox:
// nerdctl's container IDs, say, hold a hyphen, so that the last 64 digits of a
// name are not the whole ID.
func (e Entry) Disagreement(n Name) string {
	if e.Bare {
		return ""
	}
	for _, f := range []struct{ field, name, entry string }{
		{"containerId", n.Sandbox, e.ContainerID},
		{"networkName", n.Network, e.Network},
		{"ifName", n.IfName, e.IfName},
	} {
		if f.name != f.entry {
			return fmt.Sprintf("not ours: its %s is %q, but its name says %q", f.field, f.entry, f.name)
		}
	}
	if e.Clash != "" {
		return "not ours: " + e.Clash
	}
	if e.InfraID != "" && e.InfraID != n.Sandbox {
		return fmt.Sprintf("not ours: its K8S_POD_INFRA_CONTAINER_ID is %q, but its name says %q", e.InfraID, n.Sandbox)
	}
	return ""
}

// Fill tells an object what its name and its entry say of the owner, and adds
// what keeps it beside its sandbox: a process in one of the namespaces, and the
// pod where nothing better is known.
func (e Entry) Fill(o *hostgc.Object, n Name) {
	o.Owner = hostgc.Owner{
		Sandbox: n.Sandbox, Network: n.Network, Interface: n.IfName,
		Namespace: e.Namespace, Pod: e.Pod, PodUID: e.PodUID, IPs: e.IPs,
	}
	for i, netns := range e.Netns {
		if i == 0 {
			o.Owner.Netns = netns
		}
		o.Refs = append(o.Refs, hostgc.Ref{Space: hostgc.SpaceNetns, Key: netns})
	}
	if e.PodUID != "" {
		o.Refs = append(o.Refs, hostgc.Ref{Space: hostgc.SpacePod, Key: e.PodUID})
	}
}
