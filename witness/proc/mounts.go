package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/moby/sys/mountinfo"

	"github.com/hostgc/hostgc"
)

// view is what makes two processes see the same mounts. A mount table leaves
// out what is not below its process's root, so of two processes in one mount
// namespace, one of them in a chroot, both are needed.
type view struct{ ns, root string }

// host reads the mount table of PID 1: where the host's network namespaces
// are, and whether this is the host's /proc.
func (s *scan) host() error {
	mounts, err := s.mounts("1")
	if gone(err) {
		if live(s.fs) {
			return errors.New("PID 1 is not to be seen: /proc is mounted with hidepid, which hides other processes from hostgc while it lacks CAP_SYS_PTRACE")
		}
		return nil // recorded without it
	}
	if err != nil {
		return explain("mounts of PID 1", err)
	}
	s.networks(mounts)
	if slices.ContainsFunc(mounts, inPod) {
		return errors.New("PID 1 runs in a pod, so this /proc shows the processes of that pod only: give hostgc's pod hostPID: true, or the host's /proc by --proc")
	}
	return nil
}

// podFile is what the kubelet (etc-hosts) and containerd (the sandbox's
// resolv.conf and hostname) mount into a container's /etc. A node that is a
// container itself, as in kind or k3d, has these files of another engine.
var podFile = regexp.MustCompile(`/etc-hosts$|/sandboxes/[0-9a-f]{64}/`)

func inPod(m *mountinfo.Info) bool {
	return strings.HasPrefix(m.Mountpoint, "/etc/") && podFile.MatchString(m.Root)
}

// view claims what is mounted in the process's mount namespace, once for each.
func (s *scan) view(dir string) error {
	var v view
	var err error
	if v.ns, err = s.link(dir, "ns/mnt"); err != nil && !gone(err) {
		return explain("mount namespace of "+s.describe(dir), err)
	}
	if v.root, err = s.link(dir, "root"); err != nil && !gone(err) {
		return explain("root of "+s.describe(dir), err)
	}
	if s.views[v] {
		return nil
	}
	mounts, err := s.mounts(dir)
	if gone(err) {
		return nil // the next process in the namespace will do
	}
	if err != nil {
		return explain("mounts of "+s.describe(dir), err)
	}
	s.views[v] = true
	s.networks(mounts)
	s.mountpoints(mounts, dir)
	return nil
}

func (s *scan) mounts(dir string) ([]*mountinfo.Info, error) {
	data, err := s.read(dir + "/mountinfo")
	if errors.Is(err, syscall.EINVAL) {
		return nil, fs.ErrNotExist // a zombie: it has no mount namespace any more
	}
	if err != nil {
		return nil, err
	}
	return mountinfo.GetMountsFromReader(bytes.NewReader(data), nil)
}

// networks notes where network namespaces are mounted. In most nodes that is
// below /run/netns, but containerd can have them below its state directory.
func (s *scan) networks(mounts []*mountinfo.Info) {
	for _, m := range mounts {
		if m.FSType != "nsfs" {
			continue
		}
		// The cache files say /var/run, which is /run wherever it matters.
		p := m.Mountpoint
		if rest, ok := strings.CutPrefix(p, "/var/run/"); ok {
			p = "/run/" + rest
		}
		if !slices.Contains(s.bound[m.Root], p) {
			s.bound[m.Root] = append(s.bound[m.Root], p)
		}
	}
}

// mountpoints claims the places of mounts below those asked for.
//
// A mount whose parent is not in the table hangs in a chroot that is no mount
// itself. Where it is cannot be told; the namespace's other processes, which
// are not in the chroot, tell it.
func (s *scan) mountpoints(mounts []*mountinfo.Info, dir string) {
	byID := make(map[int]*mountinfo.Info, len(mounts))
	for _, m := range mounts {
		byID[m.ID] = m
	}
	for _, m := range mounts {
		parent := byID[m.Parent]
		if parent == nil || parent == m {
			continue
		}
		at := placeOf(parent, m.Mountpoint)
		for _, top := range s.places {
			if top.dev == at.dev && below(at.path, top.path) {
				s.mounted(at, top, dir)
			}
		}
	}
}

// mounted claims a mountpoint, and each directory from it up to the top: an
// object that is a directory is in use by what is mounted anywhere below it.
func (s *scan) mounted(at, top place, dir string) {
	what := "on it"
	for p := at; ; p = p.up() {
		ref := hostgc.Ref{Space: hostgc.SpaceMount, Key: p.String()}
		if s.claims[ref] == "" {
			s.claims[ref] = fmt.Sprintf("a file system is mounted %s in the mount namespace of %s", what, s.describe(dir))
		}
		what = "below it"
		if up := p.up(); up.path == top.path || p.path == top.path {
			return
		}
	}
}

// HostView says why a /proc does not show the host's processes: hostgc runs
// in a pod without the host's PID namespace. A recorded /proc always does.
func HostView(procFS fs.FS) error {
	s := newScan(procFS, nil)
	// What else is wrong with PID 1, the witness says.
	if mounts, _ := s.mounts("1"); slices.ContainsFunc(mounts, inPod) {
		return errors.New("PID 1 runs in a pod, so this /proc shows the processes of that pod only")
	}
	return nil
}
