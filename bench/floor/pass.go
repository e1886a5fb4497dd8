package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pass is one way through directories.
type pass struct {
	read, unlink, inodes bool
	live                 map[string]struct{}

	listed, files, unlinked, bytes int

	dir     int // the directory at hand
	content [64 << 10]byte
	arena   []byte // names with their NULs
	batch   []entry
}

// entry is a name in the arena.
type entry struct {
	ino uint64
	at  int
}

// batchSize is that of hostgc, observe.DefaultBatch.
const batchSize = 32_768

func (p *pass) directory(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // only read
	p.dir = fd
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Getdents(fd, buf)
		if err != nil {
			return err
		}
		if n == 0 {
			return p.flush()
		}
		if err := p.records(buf[:n]); err != nil {
			return err
		}
	}
}

// records takes struct linux_dirent64 apart: d_ino (8 bytes), d_off (8),
// d_reclen (2), d_type (1), the name and its NUL.
func (p *pass) records(buf []byte) error {
	for len(buf) > 0 {
		record := buf[:binary.NativeEndian.Uint16(buf[16:])]
		buf = buf[len(record):]
		if record[18] != unix.DT_REG {
			continue
		}
		p.listed++
		if !p.read {
			continue
		}
		if err := p.entry(binary.NativeEndian.Uint64(record), record[19:]); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) entry(ino uint64, name []byte) error {
	if !p.inodes {
		return p.file(name)
	}
	p.batch = append(p.batch, entry{ino, len(p.arena)})
	p.arena = append(p.arena, name...)
	if len(p.batch) < batchSize {
		return nil
	}
	return p.flush()
}

func (p *pass) flush() error {
	slices.SortFunc(p.batch, func(a, b entry) int { return cmp.Compare(a.ino, b.ino) })
	for _, e := range p.batch {
		if err := p.file(p.arena[e.at:]); err != nil {
			return err
		}
	}
	p.batch, p.arena = p.batch[:0], p.arena[:0]
	return nil
}

// file reads and removes one file. The name ends in a NUL.
func (p *pass) file(name []byte) error {
	if _, ok := p.live[sandbox(name)]; ok {
		return nil
	}
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NOATIME
	fd, _, e := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(p.dir), uintptr(unsafe.Pointer(&name[0])), flags, 0, 0, 0)
	if e != 0 {
		return e
	}
	var st unix.Stat_t
	if _, _, e = unix.RawSyscall(unix.SYS_FSTAT, fd, uintptr(unsafe.Pointer(&st)), 0); e != 0 {
		return e
	}
	n, _, e := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&p.content)), uintptr(len(p.content)))
	if e != 0 {
		return e
	}
	if _, _, e = unix.RawSyscall(unix.SYS_CLOSE, fd, 0, 0); e != 0 {
		return e
	}
	p.files, p.bytes = p.files+1, p.bytes+int(n)
	if !p.unlink {
		return nil
	}
	if _, _, e = unix.RawSyscall(unix.SYS_UNLINKAT, uintptr(p.dir), uintptr(unsafe.Pointer(&name[0])), 0); e != 0 {
		return e
	}
	p.unlinked++
	return nil
}

// sandbox is the ID in a name, as view into it: of a delegates file the whole,
// of a cache entry what stands before the last hyphen. (Interface names that
// hold hyphens are legal, and not generated.)
func sandbox(name []byte) string {
	name = name[:bytes.IndexByte(name, 0)]
	if i := bytes.LastIndexByte(name, '-'); i >= 64 {
		name = name[i-64 : i]
	}
	return unsafe.String(unsafe.SliceData(name), len(name))
}
