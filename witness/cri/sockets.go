package cri

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// known are the sockets at which runtimes serve the CRI by default.
var known = []string{
	"/run/containerd/containerd.sock",
	"/run/k3s/containerd/containerd.sock", // K3s and RKE2
	"/var/snap/microk8s/common/run/containerd.sock",
	"/run/k0s/containerd.sock",
	"/run/crio/crio.sock",
	"/run/cri-dockerd.sock",
}

// Sockets gives the known CRI sockets that exist below the host's root, as
// host paths with their symlinks resolved, so that two spellings of one socket
// are one. RKE2's users often link the first to the second.
//
// One that cannot be looked at is listed: in doubt it must answer.
func Sockets(root fs.FS) []string {
	var found []string
	for _, name := range known {
		socket, mode, err := resolve(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			socket = name
		case mode.Type() != fs.ModeSocket:
			continue
		}
		if !slices.Contains(found, socket) {
			found = append(found, socket)
		}
	}
	return found
}

// ParseEndpoint gives the host path of the socket that an operator names with
// --cri, as unix:///run/crio/crio.sock or as the plain path.
func ParseEndpoint(endpoint string) (string, error) {
	socket := strings.TrimPrefix(strings.TrimPrefix(endpoint, "unix:"), "//")
	if !strings.HasPrefix(socket, "/") || path.Clean(socket) == "/" {
		return "", fmt.Errorf("--cri %q: not a unix socket's absolute path on the host; give one as unix://%s", endpoint, known[0])
	}
	return path.Clean(socket), nil
}

// maxLinks is the kernel's limit of symlinks in one path.
const maxLinks = 40

// resolve follows the symlinks of a host path inside root. The kernel would
// follow an absolute one out of a root that is mounted at /host.
func resolve(root fs.FS, name string) (string, fs.FileMode, error) {
	done, rest, mode := ".", strings.Split(name, "/"), fs.ModeDir
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		rest = rest[1:]
		if next == ".." {
			next = "." // as the kernel: the root is its own parent
		}
		info, err := fs.Lstat(root, next)
		if err != nil {
			return "", 0, err
		}
		mode = info.Mode()
		switch {
		case mode.Type() == fs.ModeSymlink:
			if links++; links > maxLinks {
				return "", 0, fmt.Errorf("resolve %s: too many symlinks", name)
			}
			target, err := fs.ReadLink(root, next)
			if err != nil {
				return "", 0, err
			}
			if path.IsAbs(target) {
				done = "."
			}
			rest = append(strings.Split(target, "/"), rest...)
		case !mode.IsDir() && len(rest) > 0:
			return "", 0, fmt.Errorf("resolve %s: %s is no directory: %w", name, next, fs.ErrNotExist)
		default:
			done = next
		}
	}
	return "/" + done, mode, nil
}
