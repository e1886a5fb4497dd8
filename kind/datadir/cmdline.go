package datadir

import "strings"

// arguments gives /proc/PID/cmdline. A program that sets its title (k3s and
// rke2 do) leaves one string with spaces in it.
func (s *search) arguments(dir string) ([]string, error) {
	data, err := s.readProc(dir + "/cmdline")
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(data), "\x00"), "\x00"), nil
}

// commandLine is the reference by an argument: argv[0] keeps the spelling that
// was used, links unresolved; -publish-binary is the containerd that a shim
// calls when its container ends; --config names a file.
func (s *search) commandLine(p process) error {
	if p.own {
		return nil
	}
	for _, arg := range p.args {
		found := s.named(arg)
		if len(arg) <= maxPath {
			value := arg
			if strings.HasPrefix(arg, "-") {
				_, value, _ = strings.Cut(arg, "=")
			}
			more, err := s.byPath(value)
			if err != nil {
				return err
			}
			found = append(found, more...)
		}
		for _, t := range found {
			s.used(p, t, "names "+t.label()+" in its command line")
		}
	}
	return nil
}
