package safefs

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

const benchFiles = 10_000

// benchDir is a directory like a leaking Multus': names of its length, 1 kB each.
func benchDir(b *testing.B) *Dir {
	b.Helper()
	root := b.TempDir()
	content := make([]byte, 1000)
	for i := range benchFiles {
		fd, err := unix.Open(filepath.Join(root, fmt.Sprintf("cbr0-%064x-net1", i)), unix.O_CREAT|unix.O_WRONLY, 0o600)
		if err == nil {
			_, err = unix.Write(fd, content)
		}
		if err != nil {
			b.Fatal(err)
		}
		_ = unix.Close(fd)
	}
	r, err := OpenRoot(root)
	if err != nil {
		b.Fatal(err)
	}
	d, err := r.OpenDir("/")
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func perFile(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchFiles, "ns/file")
}

func BenchmarkEntries(b *testing.B) {
	d := benchDir(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range d.Entries(context.Background()) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	perFile(b)
}

func BenchmarkEntriesFloor(b *testing.B) {
	d := benchDir(b)
	buf := make([]byte, direntsBuffer)
	for b.Loop() {
		fd, err := unix.Openat(d.fd, ".", unix.O_RDONLY, 0)
		for n := 1; err == nil && n > 0; {
			n, err = unix.Getdents(fd, buf)
		}
		if err != nil {
			b.Fatal(err)
		}
		_ = unix.Close(fd)
	}
	perFile(b)
}

func BenchmarkRead(b *testing.B) {
	d := benchDir(b)
	list := benchNames(b, d)
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range list {
			if _, _, err := d.Read(name, 4096, buf); err != nil {
				b.Fatal(err)
			}
		}
	}
	perFile(b)
}

func BenchmarkReadFloor(b *testing.B) {
	d := benchDir(b)
	list := benchNames(b, d)
	buf := make([]byte, 4096)
	var st unix.Stat_t
	for b.Loop() {
		for _, name := range list {
			fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOATIME, 0)
			if err == nil {
				err = unix.Fstat(fd, &st)
			}
			if err == nil {
				_, err = unix.Read(fd, buf)
			}
			if err != nil {
				b.Fatal(err)
			}
			_ = unix.Close(fd)
		}
	}
	perFile(b)
}

func benchNames(b *testing.B, d *Dir) []string {
	b.Helper()
	var list []string
	for e, err := range d.Entries(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, e.Name)
	}
	return list
}
