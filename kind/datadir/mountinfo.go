package datadir

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// mounts are the references by a mount, in any mount namespace: something of a
// directory is mounted elsewhere (a hostPath volume), or something is mounted
// on it or below it. Removing either succeeds where the mount is another
// namespace's, and takes it away there.
//
// /proc/PID/mountinfo has the source as a path in its file system (field 4,
// "//deleted" after it once it is gone) and the target as a path in the
// namespace (field 5). Both hold the directory's own name, whatever the rest
// of the path looks like: it is an entry of a directory that was found to be on
// the data directory's own mount. A mount of the whole data directory names no
// version and is no reference: hostgc's own pod has one.
func mounts(ctx context.Context, s *search) (string, error) {
	if s.host.proc == nil {
		return "", errors.New("no /proc of a running node: what is mounted cannot be told")
	}
	pids, err := s.pids()
	if err != nil {
		return "", err
	}
	views := map[view]bool{}
	var errs []error
	for _, pid := range pids {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		errs = append(errs, s.viewOf(pid, views))
	}
	if s.host.live && len(views) == 0 {
		errs = append(errs, errors.New("no mount table could be read"))
	}
	return count(len(views), "mount table"), errors.Join(errs...)
}

// viewOf reads the mounts that a process sees, unless another one sees the
// same.
func (s *search) viewOf(pid string, views map[view]bool) error {
	dirs := []string{pid}
	if _, err := s.readlink(pid + "/root"); gone(err) && s.host.live {
		dirs = s.tasks(pid)
	}
	for _, dir := range dirs {
		ns, err1 := s.readlink(dir + "/ns/mnt")
		root, err2 := s.readlink(dir + "/root")
		if err := errors.Join(err1, err2); err != nil && !gone(err1) && !gone(err2) {
			return s.unseen("mount namespace", dir, err)
		}
		v := view{ns, root}
		if ns != "" && views[v] {
			continue
		}
		if err := s.mountTable(dir); gone(err) || errors.Is(err, syscall.EINVAL) {
			continue // ended, or a zombie; another process of the namespace will do
		} else if err != nil {
			return s.unseen("mounts", dir, err)
		}
		views[v] = true
	}
	return nil
}

func (s *search) mountTable(dir string) error {
	data, err := s.readProc(dir + "/mountinfo")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		found := s.named(line)
		if len(found) == 0 {
			continue
		}
		source, target, ok := parseMount(line)
		if !ok {
			return fmt.Errorf("a line is not of the form that proc(5) gives: %q", line)
		}
		for _, t := range found {
			switch {
			case slices.Contains(s.named(target), t):
				s.mounted(dir, t, "something is mounted on or below "+t.label()+", at "+printable(target))
			case slices.Contains(s.named(source), t):
				s.mounted(dir, t, "something of "+t.label()+" is mounted at "+printable(target))
			default: // a lowerdir of an overlay
				s.mounted(dir, t, "the mount at "+printable(target)+" names "+t.label()+" in its options")
			}
		}
	}
	return nil
}

func (s *search) mounted(dir string, t *Tree, what string) {
	pid, _, _ := strings.Cut(dir, "/")
	p := process{dir: dir, pid: pid}
	s.refer(t, Use{
		Source: "mounts", Holder: s.holder(p),
		What: what + " in the mount namespace of process " + pid,
		Cure: "it ends when it is unmounted there",
	})
}

// parseMount gives the fields 4 and 5 of a line of mountinfo. They are escaped,
// which a directory's name never is.
func parseMount(line string) (source, target string, ok bool) {
	f := strings.Fields(line)
	if len(f) < 10 || !strings.HasPrefix(f[4], "/") {
		return "", "", false
	}
	return f[3], f[4], true
}
