package safefs

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestReadGivesContentAndIdentity(t *testing.T) {
	root := host(t, "d/a", "d/empty")
	file := filepath.Join(root, "d/a")
	mtime := time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	must(t, os.Chtimes(file, time.Time{}, mtime))
	must(t, os.Truncate(filepath.Join(root, "d/empty"), 0))
	d := openDir(t, root, "/d")

	buf := make([]byte, 3, 64)
	id, content, err := d.Read("a", 12, buf)
	if err != nil || string(content) != "content of a" || &content[0] != &buf[0] {
		t.Errorf("got %q, %v; in the given buffer: %v", content, err, &content[0] == &buf[0])
	}
	var st unix.Stat_t
	must(t, unix.Lstat(file, &st))
	if id.Ino != st.Ino || id.Dev != st.Dev || id.Mode != st.Mode || id.Nlink != 1 || id.UID != st.Uid ||
		id.Size != 12 || id.Alloc != st.Blocks*512 || !id.Mtime.Equal(mtime) || id.Ctime.UnixNano() != st.Ctim.Nano() {
		t.Errorf("identity %+v is not that of %+v", id, st)
	}
	if _, content, err := d.Read("empty", 0, nil); err != nil || len(content) != 0 {
		t.Errorf("empty: got %q, %v", content, err)
	}
}

func TestReadLeavesAccessTimeAlone(t *testing.T) {
	root := host(t, "d/a")
	file := filepath.Join(root, "d/a")
	long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) // older than mtime: relatime would update it
	must(t, os.Chtimes(file, long, time.Time{}))
	_, _, err := openDir(t, root, "/d").Read("a", 100, nil)
	must(t, err)
	var st unix.Stat_t
	must(t, unix.Lstat(file, &st))
	if st.Atim.Sec != long.Unix() {
		t.Errorf("access time is %v after reading", time.Unix(st.Atim.Unix()))
	}
}

func TestReadRefuses(t *testing.T) {
	root := host(t, "d/large", "d/sub/x", "d/link -> large", "d/dangling -> none")
	dir := filepath.Join(root, "d")
	must(t, unix.Mkfifo(dir+"/fifo", 0o600))
	l, err := net.Listen("unix", dir+"/sock")
	must(t, err)
	defer func() { must(t, l.Close()) }()
	d := openDir(t, root, "/d")

	for _, c := range []struct {
		name string
		want error
		text string
	}{
		{"large", ErrTooLarge, "16 bytes, and 5 is the limit"},
		{"link", ErrNotRegular, "/d/link: symlink, not a regular file"},
		{"dangling", ErrNotRegular, "symlink"},
		{"sub", ErrNotRegular, "directory"},
		{"fifo", ErrNotRegular, "FIFO"},
		{"sock", ErrNotRegular, "socket"},
	} {
		id, content, err := d.Read(c.name, 5, nil)
		wantErr(t, err, c.want, c.text)
		if id.Ino == 0 || content != nil {
			t.Errorf("%s: identity %+v, content %q", c.name, id, content)
		}
		if again, _ := d.Identify(c.name); again != id {
			t.Errorf("%s: read as %+v, identified as %+v", c.name, id, again)
		}
	}
	_, _, err = d.Read("none", 5, nil)
	wantErr(t, err, ErrGone, "/d/none")
	wantErr(t, err, fs.ErrNotExist, "")
}

func TestReadNamesOneEntryOnly(t *testing.T) {
	d := openDir(t, host(t, "d/sub/x", "outside"), "/d")
	for _, name := range []string{"", ".", "..", "../outside", "sub/x", "/outside", "a\x00b"} {
		if id, _, err := d.Read(name, 100, nil); err == nil || id.Ino != 0 {
			t.Errorf("read %q: %+v, %v", name, id, err)
		}
		if id, err := d.Identify(name); err == nil || id.Ino != 0 {
			t.Errorf("identify %q: %+v, %v", name, id, err)
		}
	}
}

// A device may do something as soon as it is opened, so it is only looked at.
func TestIdentifyDevice(t *testing.T) {
	needRoot(t)
	root := host(t, "d/")
	must(t, unix.Mknod(filepath.Join(root, "d/null"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))))
	d := openDir(t, root, "/d")
	_, err := d.Identify("null")
	wantErr(t, err, ErrNotRegular, "character device")
	var typed *NotRegularError
	if !errors.As(err, &typed) || typed.Path != "/d/null" {
		t.Errorf("got %+v", typed)
	}
	_, _, err = d.Read("null", 10, nil)
	wantErr(t, err, ErrNotRegular, "character device")
}

func TestReadReusesItsBuffer(t *testing.T) {
	root := host(t, "d/a")
	write(t, filepath.Join(root, "d/a"), strings.Repeat("x", 1000))
	d := openDir(t, root, "/d")
	buf := make([]byte, 0, 4096)
	allocs := testing.AllocsPerRun(100, func() {
		_, content, err := d.Read("a", 4096, buf)
		if err != nil || len(content) != 1000 {
			t.Fatal(len(content), err)
		}
	})
	if allocs > 1 { // the name with its NUL
		t.Errorf("%v allocations for one read", allocs)
	}
}
