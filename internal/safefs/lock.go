package safefs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock takes an exclusive flock on the directory itself, so that two hostgc,
// be it a DaemonSet's and a systemd unit's, never sweep at once. The directory
// is there on every node that has something to remove, locking it needs no
// inode, and the kernel lets go with the process.
//
// Lock does not wait: a *HeldError says who holds it. unlock may be called
// more than once.
func (d *Dir) Lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", d.path, err)
	}
	fd, err := d.reopen() // a descriptor of its own: a flock belongs to the open file
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", d.path, err)
	}
	f := os.NewFile(uintptr(fd), d.path) // #nosec G115: a descriptor is not negative
	err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return func() { _ = f.Close() }, nil
	}
	_ = f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		pid := d.holder()
		return nil, &HeldError{Path: d.path, PID: pid, Command: d.kernel.command(pid)}
	}
	return nil, fmt.Errorf("lock %s: %w", d.path, err)
}

// holder finds the process that holds a flock on the directory in /proc/locks,
// see proc_locks(5):
//
//	1: FLOCK  ADVISORY  WRITE 708 fe:00:131077 0 EOF
//
// The kernel leaves out what processes of other PID namespaces hold, so 0 is a
// normal answer. Lines of those that wait have "->" in second place.
func (d *Dir) holder() int {
	id, err := identity(d.fd)
	if err != nil {
		return 0
	}
	major, minor, err := d.device()
	if err != nil {
		return 0
	}
	f, err := os.Open(filepath.Join(d.kernel.proc, "locks"))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	file := fmt.Sprintf("%02x:%02x:%d", major, minor, id.Ino)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		field := strings.Fields(lines.Text())
		if len(field) >= 6 && field[1] == "FLOCK" && field[5] == file {
			pid, _ := strconv.Atoi(field[4])
			return max(pid, 0)
		}
	}
	return 0
}

// maxCommand is enough of a command line to know a process by.
const maxCommand = 512

// command is a process's command line, or "" where it cannot be seen.
func (k kernel) command(pid int) string {
	f, err := os.Open(filepath.Join(k.proc, strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	line, _ := io.ReadAll(io.LimitReader(f, maxCommand))
	return string(bytes.TrimSpace(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
}
