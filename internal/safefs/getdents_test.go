package safefs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestEntriesTellTypeAndInode(t *testing.T) {
	root := host(t, "d/file", "d/sub/x", "d/link -> file")
	must(t, unix.Mkfifo(filepath.Join(root, "d/fifo"), 0o600))
	l, err := net.Listen("unix", filepath.Join(root, "d/sock"))
	must(t, err)
	defer func() { must(t, l.Close()) }()
	d := openDir(t, root, "/d")

	got := map[string]uint8{}
	for e, err := range d.Entries(context.Background()) {
		must(t, err)
		got[e.Name] = e.Type
		if id, _ := d.Identify(e.Name); id.Ino != e.Ino {
			t.Errorf("%s: inode %d, listed as %d", e.Name, id.Ino, e.Ino)
		}
	}
	want := map[string]uint8{"file": unix.DT_REG, "sub": unix.DT_DIR, "link": unix.DT_LNK, "fifo": unix.DT_FIFO, "sock": unix.DT_SOCK}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Removing while listing is what a sweep does; no entry may be missed by it.
func TestEntriesAreCompleteWhileTheyAreRemoved(t *testing.T) {
	const many = 100_000
	root := host(t, "d/")
	for i := range many {
		must(t, unix.Mknod(filepath.Join(root, "d", fmt.Sprint(i)), unix.S_IFREG|0o600, 0))
	}
	d := openDir(t, root, "/d")
	seen := map[string]bool{}
	for pass := range 2 {
		for e, err := range d.Entries(context.Background()) {
			must(t, err)
			seen[e.Name] = true
			if pass == 1 {
				must(t, unix.Unlinkat(d.fd, e.Name, 0))
			}
		}
		if len(seen) != many {
			t.Fatalf("pass %d: listed %d of %d", pass, len(seen), many)
		}
		clear(seen)
	}
	for e := range d.Entries(context.Background()) {
		t.Fatalf("%s was missed", e.Name)
	}
}

func TestEntriesStop(t *testing.T) {
	root := host(t, "d/a", "d/b")
	d := openDir(t, root, "/d")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range d.Entries(ctx) {
		wantErr(t, err, context.Canceled, "list /d")
	}
	n := 0
	for range d.Entries(context.Background()) {
		n++
		break
	}
	must(t, os.RemoveAll(filepath.Join(root, "d")))
	var last error
	for _, err := range d.Entries(context.Background()) {
		last = err
	}
	if n != 1 || !errors.Is(last, fs.ErrNotExist) {
		t.Errorf("%d entries before break; of a removed directory: %v, want ErrNotExist", n, last)
	}
}

func TestDirentRefusesWhatTheKernelNeverWrites(t *testing.T) {
	record := func(reclen uint16, size int) []byte {
		b := make([]byte, size)
		binary.NativeEndian.PutUint16(b[direntReclen:], reclen)
		return b
	}
	for name, b := range map[string][]byte{
		"truncated": make([]byte, direntName-1), "endless": record(0, 24), "nameless": record(direntName, 24), "overlong": record(25, 24),
	} {
		if e, _, err := dirent(string(b)); err == nil {
			t.Errorf("%s: taken as %+v", name, e)
		}
	}
	unended := append(record(24, 24)[:direntName], "abcde"...)
	if e, rest, err := dirent(string(unended)); err != nil || e.Name != "abcde" || len(rest) != 0 {
		t.Errorf("a name that fills its record: got %+v, %d left, %v", e, len(rest), err)
	}
}
