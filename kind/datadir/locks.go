package datadir

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// unpacking: K3s holds a flock on data/.lock while it unpacks. /proc/locks
// tells of every lock in the PID namespaces that it shows, so nothing needs to
// be opened for writing here. The remover takes the lock itself, and holds it
// while it asks once more.
func (s *search) unpacking() (string, error) {
	if s.product.Lock == "" || s.host.proc == nil {
		return "", nil
	}
	info, err := s.lookThrough(path.Join(DataOf(s.dataDir), s.product.Lock))
	if missing(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	data, err := s.readProc("locks")
	if gone(err) && !s.host.live {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the locks that are held: %w", err)
	}
	self, _ := s.readlink("self") // where it is not told, hostgc's own lock is one like any other
	for line := range strings.Lines(string(data)) {
		if pid, ino, ok := parseLock(line); ok && ino == identity(info).Ino && pid != self {
			return fmt.Sprintf("%s/%s is locked: a version is being unpacked", DataOf(s.dataDir), s.product.Lock), nil
		}
	}
	return "", nil
}

// parseLock gives who holds a lock on which inode, from a line like
// "1: FLOCK  ADVISORY  WRITE 430 08:01:131 0 EOF". One that waits ("->") is for
// a lock that is held, and has a line of its own. The device is not compared:
// on btrfs and overlay it is not the one that stat gives.
func parseLock(line string) (pid string, ino uint64, ok bool) {
	f := strings.Fields(line)
	if len(f) < 8 || f[1] != "FLOCK" && f[1] != "OFDLCK" && f[1] != "POSIX" {
		return "", 0, false
	}
	parts := strings.Split(f[5], ":")
	ino, err := strconv.ParseUint(parts[len(parts)-1], 10, 64)
	return f[4], ino, err == nil && len(parts) == 3
}
