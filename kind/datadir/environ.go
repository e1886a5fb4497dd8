package datadir

import (
	"path"
	"slices"
	"strings"
)

// environment is the reference by /proc/PID/environ: PATH, K3S_DATA_DIR,
// LD_LIBRARY_PATH and whatever else holds a path.
//
// A shim looks runc up in PATH at each exec and each delete. So a shim that is
// not in any directory at all, kata's or one for WebAssembly or GPUs, needs the
// one that was current when it was started. PATH may have been changed since by
// the process itself, which nobody does.
func (s *search) environment(p process) error {
	data, err := s.readProc(p.dir + "/environ")
	if err != nil || p.own {
		return err
	}
	for _, v := range strings.Split(string(data), "\x00") {
		if strings.HasPrefix(v, executionMark) {
			s.plans = append(s.plans, p)
		}
		key, value, _ := strings.Cut(v, "=")
		found, err := s.inPathList(value)
		if err != nil {
			return err
		}
		for _, t := range found {
			s.used(p, t, "has "+printable(key)+" lead into "+t.label())
		}
	}
	return nil
}

// inPathList gives the trees that a value names, or that one of the absolute
// paths in it leads to.
func (s *search) inPathList(value string) ([]*Tree, error) {
	found := s.named(value)
	for _, p := range strings.Split(value, ":") {
		if !path.IsAbs(p) || len(p) > maxPath {
			continue
		}
		trees, err := s.byPath(p)
		if err != nil {
			return nil, err
		}
		for _, t := range trees {
			if !slices.Contains(found, t) {
				found = append(found, t)
			}
		}
	}
	return found, nil
}
