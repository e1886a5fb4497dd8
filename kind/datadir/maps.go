package datadir

import (
	"strconv"
	"strings"
)

// maps is the reference by what a process has mapped: a library, or an
// executable that it replaced since.
//
// /proc/PID/map_files would give the inode by stat, but only to who has
// CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE; /proc/PID/maps has device and inode
// in its text. The device is the file system's own, which for btrfs and overlay
// is not what stat says; there the path, which the kernel follows through
// renames, is what is left.
func (s *search) maps(p process) error {
	data, err := s.readProc(p.dir + "/maps")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		m, ok := parseMapping(strings.TrimSuffix(line, "\n"))
		if !ok {
			continue
		}
		if t := s.inodes[m.inode]; s.numbers[m.ino] && t != nil {
			s.used(p, t, "has a file of "+t.label()+" mapped")
		}
		for _, t := range s.named(m.path) {
			s.used(p, t, "has a file of "+t.label()+" mapped")
		}
	}
	return nil
}

// mapping is one line of maps that has a file behind it.
type mapping struct {
	inode
	path string
}

// parseMapping reads a line of maps: range, permissions, offset, device, inode
// and, after spaces, the path.
func parseMapping(line string) (mapping, bool) {
	f := strings.SplitN(line, " ", 6)
	if len(f) < 6 || f[4] == "0" {
		return mapping{}, false
	}
	ino, err := strconv.ParseUint(f[4], 10, 64)
	if err != nil {
		return mapping{}, false
	}
	major, minor, _ := strings.Cut(f[3], ":")
	maj, err1 := strconv.ParseUint(major, 16, 32)
	minr, err2 := strconv.ParseUint(minor, 16, 32)
	if err1 != nil || err2 != nil {
		return mapping{}, false
	}
	return mapping{inode{mkdev(uint32(maj), uint32(minr)), ino}, strings.TrimLeft(f[5], " ")}, true
}
