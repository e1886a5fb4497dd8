// Package runtime is the witness of what a container runtime keeps on disk
// while a sandbox or container exists, whether it lists it or not.
//
// A containerd that could not recover a sandbox at its start drops it from its
// list, though it may run; CRI-O does not list one that it has not finished to
// create. Both have their directories in the runtime's state all the same.
//
// Only the state counts, below /run: what lies in the runtime's root, such as
// /var/lib/containerd, stays behind after a power cut and proves nothing. A
// trace of something dead does not stay in the state for ever. containerd 1.6
// to 2.4 removes a bundle when its task is deleted, and a sandbox's directory
// when the sandbox is removed; at its start it removes the bundles whose shim
// does not answer, and the directories of sandboxes and containers that its
// database does not know. CRI-O's storage library removes a container's
// directory with the container. And a reboot empties /run.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hostgc/hostgc"
)

const name = "runtime"

// known are the state directories of the distributions, on the host.
var known = []string{
	"/run/containerd",                          // containerd
	"/run/k3s/containerd",                      // K3s and RKE2
	"/run/k0s/containerd",                      // k0s
	"/var/snap/microk8s/common/run/containerd", // MicroK8s; on a disk, and cleaned by containerd's start alone
	"/run/docker/containerd/daemon",            // a dockerd that runs its own containerd
	"/run/containers/storage",                  // CRI-O
}

// Dirs gives the known state directories that exist, as paths on the host,
// whose root is the file system given.
func Dirs(root fs.FS) []string {
	return slices.DeleteFunc(candidates(root), func(dir string) bool {
		info, err := fs.Stat(root, below(dir))
		return err != nil || !info.IsDir()
	})
}

// candidates gives the known directories, and their like below /var/run where
// that is a directory. Where it is a link to /run, as it should be, they would
// be the same, or another machine's if the root is not "/".
func candidates(root fs.FS) []string {
	dirs := slices.Clone(known)
	if info, err := fs.Lstat(root, "var/run"); err == nil && info.IsDir() {
		for _, dir := range known {
			if strings.HasPrefix(dir, "/run/") {
				dirs = append(dirs, "/var"+dir)
			}
		}
	}
	return dirs
}

// Witness makes the witness of the known state directories and of more, all
// as paths on the host whose root is the file system given. A directory that
// does not exist holds no trace; one that cannot be read makes it mute.
func Witness(root fs.FS, extra ...string) hostgc.Witness {
	return hostgc.Witness{
		Name:   name,
		Speaks: []hostgc.Space{hostgc.SpaceSandbox},
		Ask: func(ctx context.Context) (hostgc.Answer, error) {
			s := search{root: root, claims: map[string]hostgc.Claim{}}
			var errs []error
			for _, dir := range append(candidates(root), extra...) {
				if err := ctx.Err(); err != nil {
					errs = append(errs, fmt.Errorf("looking at runtime state: %w", err))
					break
				}
				errs = append(errs, s.state(dir))
			}
			return s.answer(), errors.Join(errs...)
		},
	}
}
