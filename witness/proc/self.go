package proc

import (
	"bytes"
	"io/fs"
	"slices"

	"github.com/moby/sys/mountinfo"
)

// SelfIDs gives the IDs of the container and the sandbox in which hostgc runs
// itself, as far as they can be told; none where it runs on the host. A list
// of sandboxes that has one of them is this node's.
//
// In a cgroup namespace, which is what pods have with cgroup v2, hostgc's own
// cgroup is "/". Then the files tell that the runtime mounts into each
// container out of a directory named after the sandbox.
func SelfIDs(procFS fs.FS) []string {
	cgroup, _ := fs.ReadFile(procFS, "self/cgroup")
	out := slices.Collect(ids(string(cgroup)))
	data, _ := fs.ReadFile(procFS, "self/mountinfo")
	mounts, _ := mountinfo.GetMountsFromReader(bytes.NewReader(data), nil)
	for _, m := range mounts {
		switch m.Mountpoint {
		case "/etc/hosts", "/etc/hostname", "/etc/resolv.conf":
			out = slices.AppendSeq(out, ids(m.Root))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
