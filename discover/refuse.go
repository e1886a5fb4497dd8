package discover

import (
	"path"
	"strings"
)

// refuse says why a directory may not be one of CNI state, or nothing.
//
// A name of 64 hex digits is not CNI's alone: the blobs in an image store are
// named so, and are no JSON. A configuration that pointed there, by mistake or
// by malice, would have them taken for torn files.
func refuse(dir string) string {
	clean := path.Clean(dir)
	switch {
	case !path.IsAbs(dir):
		return "it is not an absolute path"
	case strings.Contains(dir, ".."):
		return "it goes up by .."
	case strings.Count(clean, "/") < 2:
		return "it is the root or directly below it"
	case exactly(clean):
		return "other software keeps its files there"
	case within(clean):
		return "it is inside a directory of the system or of other software"
	}
	return ""
}

// exactly lists directories that hold CNI state only further down.
func exactly(dir string) bool {
	switch dir {
	case "/var/lib", "/var/log", "/var/cache", "/var/tmp", "/var/spool", "/var/snap", "/var/opt",
		"/var/lib/rancher", "/var/lib/rancher/rke2", "/var/lib/rancher/k3s":
		return true
	}
	return false
}

// within lists trees in which no CNI state ever is. The patterns match whole
// path elements from the root.
func within(dir string) bool {
	for _, pattern := range []string{
		"/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr",
		"/var/lib/containerd", "/var/lib/containers", "/var/lib/docker", "/var/lib/crio", "/var/lib/etcd",
		"/var/lib/kubelet", "/var/lib/k0s/containerd", "/var/lib/k0s/etcd", "/var/lib/k0s/kubelet",
		"/var/lib/rancher/*/agent/containerd", "/var/lib/rancher/*/server", "/var/lib/rancher/*/data",
		"/var/snap/microk8s/common/var/lib/containerd", "/var/snap/microk8s/common/var/lib/kubelet",
		"/run/containerd", "/run/crio", "/run/k3s", "/run/docker", "/run/containers",
		"/var/run/containerd", "/var/run/crio", "/var/run/k3s", "/var/run/docker", "/var/run/containers",
	} {
		depth := strings.Count(pattern, "/")
		elements := strings.SplitN(dir, "/", depth+2)
		if len(elements) <= depth {
			continue
		}
		if ok, _ := path.Match(pattern, strings.Join(elements[:depth+1], "/")); ok {
			return true
		}
	}
	return false
}
