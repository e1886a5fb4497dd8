package datadir

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

func mkdev(major, minor uint32) uint64 { return unix.Mkdev(major, minor) }

// descriptors is the reference by an open file, /proc/PID/fd.
func (s *search) descriptors(p process) error {
	if p.own {
		return nil // hostgc has directories open that it is about to remove
	}
	entries, err := fs.ReadDir(s.host.proc, p.dir+"/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := s.held(p, "fd/"+e.Name(), "has a file of %s open"); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// directories is the reference by a process's working directory and root. A
// shim's working directory is its bundle, and leads to state directories that
// nothing else names.
func (s *search) directories(p process) error {
	for _, l := range []struct{ name, what string }{
		{"cwd", "has its working directory in %s"}, {"root", "has its root directory in %s"},
	} {
		if err := s.held(p, l.name, l.what); err != nil && !gone(err) {
			return err
		}
	}
	cwd, err := s.readlink(p.dir + "/cwd")
	if err != nil {
		return err
	}
	if state, _, ok := strings.Cut(cwd, "/"+taskDir+"/"); ok {
		s.states[state] = true
	}
	return nil
}

// held follows one link. Only if its last name is one that occurs in a tree is
// the file behind it looked at: a stat on a network file system whose server is
// away would not come back, and the kernel shows a file by the name that it has
// now.
func (s *search) held(p process, link, what string) error {
	to, err := s.readlink(p.dir + "/" + link)
	if err != nil {
		return err
	}
	if !path.IsAbs(to) {
		return nil // a pipe, a socket
	}
	to = undeleted(to)
	found := s.named(to)
	if s.host.live && s.bases[path.Base(to)] {
		info, err := fs.Stat(s.host.proc, p.dir+"/"+link)
		if err != nil {
			return err
		}
		if t := s.byInode(info); t != nil && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	for _, t := range found {
		s.used(p, t, strings.ReplaceAll(what, "%s", t.label()))
	}
	return nil
}
