package datadir

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// executable is the reference by /proc/PID/exe: shims, containerd, kubelet.
//
// Its text is a path in some mount namespace, with the spelling that was used,
// and "(deleted)" after it once the name is gone. So the inode counts; the text
// is asked as well, because a recorded /proc has no more, and because on some
// file systems (overlay) the inode that stat shows is not the one below.
func (s *search) executable(p process) error {
	found, err := s.byPath(undeleted(p.exe))
	if err != nil {
		return err
	}
	if s.host.live {
		info, err := fs.Stat(s.host.proc, p.dir+"/exe")
		if err != nil {
			return err
		}
		if t := s.byInode(info); t != nil && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	for _, t := range found {
		s.used(p, t, "still runs "+programOf(p)+" of "+t.label())
	}
	return s.noteRunning(p, found)
}

// programOf names what runs, in words that follow "still runs".
func programOf(p process) string {
	base := path.Base(undeleted(p.exe))
	if strings.HasPrefix(base, "containerd-shim") {
		return "with the shim"
	}
	return "the " + base
}

func undeleted(exe string) string { return strings.TrimSuffix(exe, " (deleted)") }

// distribution are the programs whose version is the node's.
var distribution = []string{"containerd", "kubelet", "k3s", "rke2"}

// noteRunning remembers the processes that tell which version runs.
func (s *search) noteRunning(p process, found []*Tree) error {
	base := path.Base(undeleted(p.exe))
	if !slices.Contains(distribution, base) || s.elsewhere(p) {
		return nil
	}
	r := running{process: p, base: base, daemon: isDaemon(p, base)}
	if len(found) > 0 {
		r.tree = found[0]
	}
	var err error
	if r.start, err = s.started(p.dir); err != nil && (s.host.live || !gone(err)) {
		return err
	}
	s.runs = append(s.runs, r)
	return nil
}

// elsewhere reports whether a process sees other mounts than PID 1: it belongs
// to a node that is a container of this one (k3d, kind).
func (s *search) elsewhere(p process) bool {
	host, err := s.readlink("1/ns/mnt")
	if err != nil {
		return false
	}
	ns, err := s.readlink(p.dir + "/ns/mnt")
	return err == nil && ns != host
}

// isDaemon tells the node's own programs from a tool: k3s is kubectl and crictl
// too, by its first argument or by the name under which it was called.
func isDaemon(p process, base string) bool {
	words := strings.Fields(strings.Join(p.args, " "))
	switch {
	case base == "containerd" || base == "kubelet":
		return true
	case len(words) == 0:
		return false
	case path.Base(words[0]) == "containerd":
		return true
	}
	return len(words) > 1 && (words[1] == "server" || words[1] == "agent")
}
