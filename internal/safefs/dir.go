package safefs

import (
	"strings"

	"golang.org/x/sys/unix"
)

// Dir is a directory of the host, pinned by a descriptor: whatever its path
// leads to later, it stays the directory that was opened. It can be used from
// several goroutines, but for Close.
type Dir struct {
	fd     int
	path   string
	kernel kernel
}

// Path is the directory's path on the host, as it was asked for.
func (d *Dir) Path() string { return d.path }

// Close lets the directory go.
func (d *Dir) Close() error {
	fd := d.fd
	d.fd = -1 // as in Root.Close
	return unix.Close(fd)
}

// Exists reports whether there is something at a path relative to the
// directory. It may lead out ("../<id>"): the answer explains, and allows
// nothing.
func (d *Dir) Exists(rel string) bool {
	var st unix.Stat_t
	return unix.Fstatat(d.fd, rel, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}

func (d *Dir) join(name string) string { return strings.TrimSuffix(d.path, "/") + "/" + name }

// reopen gives a descriptor with its own offset and locks. The kernel does not
// step into what was mounted over "." since.
func (d *Dir) reopen() (int, error) {
	return openat(d.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY)
}

// single reports whether a name is one component that names an entry.
func single(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}
