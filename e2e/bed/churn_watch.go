package bed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// watch tells of each name that comes or goes in some directories, and which
// process did it. That is why it is fanotify: inotify does not know the
// process, and both hostgc and CNI DEL remove these files.
type watch struct {
	group *os.File
	dirs  map[string]string // a directory's file handle, to its path on the node
}

// change is a name that came or went.
type change struct {
	Path string // on the node
	PID  int    // who did it, as the machine numbers its processes
	Gone bool
	Came bool // with Gone: the kernel joins two changes of one name by one process
}

func newWatch() (*watch, error) {
	const flags = unix.FAN_CLASS_NOTIF | unix.FAN_REPORT_DFID_NAME | unix.FAN_UNLIMITED_QUEUE | unix.FAN_NONBLOCK | unix.FAN_CLOEXEC
	fd, err := unix.FanotifyInit(flags, unix.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("watch the CNI directories by fanotify (Linux 5.9): %w", err)
	}
	return &watch{os.NewFile(uintptr(fd), "fanotify"), map[string]string{}}, nil
}

// add watches a directory of the machine, which the node sees as path.
func (w *watch) add(dir, path string) error {
	const changes = unix.FAN_CREATE | unix.FAN_DELETE | unix.FAN_MOVED_FROM | unix.FAN_MOVED_TO
	if err := unix.FanotifyMark(int(w.group.Fd()), unix.FAN_MARK_ADD, changes, unix.AT_FDCWD, dir); err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, dir, 0)
	if err != nil {
		return fmt.Errorf("take the file handle of %s: %w", dir, err)
	}
	w.dirs[string(handle.Bytes())] = path
	return nil
}

// read tells of changes, in their order, until the watch is closed.
func (w *watch) read(tell func(change)) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := w.group.Read(buf)
		if errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what changed in the CNI directories: %w", err)
		}
		for events := buf[:n]; len(events) > 0; {
			size := binary.NativeEndian.Uint32(events)
			c, err := w.parse(events[:size])
			if err != nil {
				return err
			}
			tell(c)
			events = events[size:]
		}
	}
}

// parse reads a struct fanotify_event_metadata and the one struct
// fanotify_event_info_fid behind it: see fanotify(7).
func (w *watch) parse(event []byte) (change, error) {
	const metadata, header, fsid = 24, 4, 8
	ne := binary.NativeEndian
	mask, pid := ne.Uint64(event[8:]), int(int32(ne.Uint32(event[20:])))
	if mask&unix.FAN_Q_OVERFLOW != 0 || len(event) < metadata+header+fsid+8 || event[metadata] != unix.FAN_EVENT_INFO_TYPE_DFID_NAME {
		return change{}, fmt.Errorf("the kernel's record of the CNI directories has a gap (mask %x)", mask)
	}
	handle := event[metadata+header+fsid:]
	size := ne.Uint32(handle)
	dir, ok := w.dirs[string(handle[8:8+size])]
	if !ok {
		return change{}, fmt.Errorf("the kernel tells of a directory that is not watched")
	}
	name, _, _ := bytes.Cut(handle[8+size:], []byte{0})
	return change{
		Path: filepath.Join(dir, string(name)), PID: pid,
		Gone: mask&(unix.FAN_DELETE|unix.FAN_MOVED_FROM) != 0,
		Came: mask&(unix.FAN_CREATE|unix.FAN_MOVED_TO) != 0,
	}, nil
}

func (w *watch) close() { _ = w.group.Close() }
