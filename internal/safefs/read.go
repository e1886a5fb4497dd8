package safefs

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// reading: O_NONBLOCK because a FIFO may stand in the file's place, O_NOCTTY
// because a terminal may, O_NOATIME because hostgc is no user of the files.
const reading = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_NOATIME

// Read gives the identity and the content of a regular file of at most max
// bytes. It reads into buf, grown where it is too small; the content aliases
// it. Content that was being written is the content of no identity: it must be
// removed only by that identity.
//
// The identity is given with the error too, where there is one: ErrNotRegular
// (a *NotRegularError), ErrTooLarge, or a file that cannot be read. With
// ErrGone and ErrMounted there is none.
//
// Entries that are not DT_REG should go to Identify: to open a device or a FIFO
// can have effects.
func (d *Dir) Read(name string, max int64, buf []byte) (hostgc.Identity, []byte, error) {
	if !single(name) {
		return hostgc.Identity{}, nil, fmt.Errorf("read %q below %s: not the name of an entry", name, d.path)
	}
	fd, err := d.openFile(name)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENODEV) { // a symlink, a socket, a device of nothing
		id, err := d.Identify(name)
		if err == nil {
			err = fmt.Errorf("read %s: %w while it was opened", d.join(name), ErrChanged)
		}
		return id, nil, err
	}
	if err != nil {
		return hostgc.Identity{}, nil, fmt.Errorf("read %s: %w", d.join(name), meaning(err))
	}
	defer func() { _ = unix.Close(fd) }()

	id, err := identity(fd)
	if err != nil {
		return hostgc.Identity{}, nil, fmt.Errorf("read %s: %w", d.join(name), err)
	}
	if !isRegular(id) {
		return id, nil, &NotRegularError{Path: d.join(name), Type: typeName(id.Mode)}
	}
	if id.Size > max {
		return id, nil, fmt.Errorf("read %s: %w: %d bytes, and %d is the limit", d.join(name), ErrTooLarge, id.Size, max)
	}
	content, err := readFull(fd, slices.Grow(buf[:0], int(id.Size))[:id.Size])
	if err != nil {
		return id, nil, fmt.Errorf("read %s: %w", d.join(name), err)
	}
	return id, content, nil
}

// Identify gives the identity of an entry without opening what it stands for.
// If that is no regular file, a *NotRegularError comes with it.
func (d *Dir) Identify(name string) (hostgc.Identity, error) {
	if !single(name) {
		return hostgc.Identity{}, fmt.Errorf("look at %q below %s: not the name of an entry", name, d.path)
	}
	fd, err := d.kernel.openForReading(d.fd, name, unix.O_PATH)
	if err != nil {
		return hostgc.Identity{}, fmt.Errorf("look at %s: %w", d.join(name), meaning(err))
	}
	defer func() { _ = unix.Close(fd) }()
	id, err := identity(fd)
	if err != nil {
		return id, fmt.Errorf("look at %s: %w", d.join(name), err)
	}
	if !isRegular(id) {
		return id, &NotRegularError{Path: d.join(name), Type: typeName(id.Mode)}
	}
	return id, nil
}

// openFile gives O_NOATIME up where only the file's owner may use it.
func (d *Dir) openFile(name string) (int, error) {
	fd, err := d.kernel.openForReading(d.fd, name, reading)
	if errors.Is(err, unix.EPERM) {
		return d.kernel.openForReading(d.fd, name, reading&^unix.O_NOATIME)
	}
	return fd, err
}

// readFull fills buf, which is as long as the file was. It asks for no byte
// more: if the file grew, its identity changed and nothing is removed by it.
func readFull(fd int, buf []byte) ([]byte, error) {
	for got := 0; got < len(buf); {
		n, err := unix.Read(fd, buf[got:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0: // it shrank
			return buf[:got], nil
		default:
			got += n
		}
	}
	return buf, nil
}
