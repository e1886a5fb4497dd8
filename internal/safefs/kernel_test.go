package safefs

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// kernelWithout is a kernel whose openat2 fails with err.
func kernelWithout(err error) kernel {
	k := thisKernel()
	if err != nil {
		k.openat2 = func(int, string, int, uint64) (int, error) { return -1, err }
	}
	return k
}

func TestWithoutOpenat2ReadingWorksAndNothingIsRemoved(t *testing.T) {
	for _, missing := range []error{unix.ENOSYS, unix.EPERM} {
		t.Run(fmt.Sprint(missing), func(t *testing.T) {
			d := openDirOn(t, host(t, "cni/a", "cni/l -> a"), "/cni", kernelWithout(missing))
			n := 0
			for _, err := range d.Entries(context.Background()) {
				must(t, err)
				n++
			}
			id, content, err := d.Read("a", 100, nil)
			if err != nil || string(content) != "content of a" || id != identify(t, d, "a") || n != 2 {
				t.Errorf("read %q, %v, %d entries", content, err, n)
			}
			_, _, err = d.Read("l", 100, nil)
			wantErr(t, err, ErrNotRegular, "symlink, not a regular file")

			_, err = d.Remover(func(string) bool { return true })
			wantErr(t, err, ErrNoOpenat2, "Linux 5.6")
		})
	}
}

// Reading falls back, removing does not, also if openat2 goes after the probe.
func TestRemoveNeverFallsBack(t *testing.T) {
	d := openDir(t, host(t, "cni/a"), "/cni")
	id := identify(t, d, "a")
	r := remover(t, d)
	d.kernel = kernelWithout(unix.ENOSYS)
	wantErr(t, r.Remove("a", id), unix.ENOSYS, "/cni/a")
	if !d.Exists("a") {
		t.Error("it was removed")
	}
}

// A kernel that took the flags but not the constraints would be worse than one
// without openat2, so what the probe relies on is shown to hold.
func TestOpenat2ConfinesHere(t *testing.T) {
	d := openDir(t, host(t, "cni/a", "cni/l -> a", "b"), "/cni")
	for name, want := range map[string]error{"../b": unix.EXDEV, "/b": unix.EXDEV, "l": unix.ELOOP} {
		if fd, err := openat2(d.fd, name, unix.O_RDONLY, beneath); err != want {
			t.Errorf("%s: got %d, %v; want %v", name, fd, err, want)
		}
	}
}
