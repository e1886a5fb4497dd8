package safefs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
)

// Location is where the directory lies in its file system, independent of
// where that is mounted: "major:minor:path", with the device and the root of
// proc_pid_mountinfo(5), so that it compares with mounts seen in any mount
// namespace. (st_dev would not: on btrfs it is another number.)
//
// It fails where the directory's mount is not one of this mount namespace, or
// where the directory was removed.
func (d *Dir) Location() (string, error) {
	loc, err := d.location()
	if err != nil {
		return "", fmt.Errorf("locate %s in its file system: %w", d.path, err)
	}
	return loc, nil
}

func (d *Dir) location() (string, error) {
	id, err := identity(d.fd)
	if err != nil {
		return "", err
	}
	if id.Nlink == 0 { // procfs would append " (deleted)" to its path
		return "", fmt.Errorf("the directory was removed: %w", fs.ErrNotExist)
	}
	mount, err := d.mount()
	if err != nil {
		return "", err
	}
	here, err := os.Readlink(d.kernel.procSelf("fd", strconv.Itoa(d.fd)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(mount.Mountpoint, here)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("its path %s is not below its mountpoint %s", here, mount.Mountpoint)
	}
	return fmt.Sprintf("%d:%d:%s", mount.Major, mount.Minor, path.Join(mount.Root, rel)), nil
}

// mount is the mount through which the directory was opened. The descriptor
// keeps it, so its ID is not given to another one.
func (d *Dir) mount() (*mountinfo.Info, error) {
	id, err := d.mountID()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(d.kernel.procSelf("mountinfo"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	found, err := mountinfo.GetMountsFromReader(f, func(m *mountinfo.Info) (skip, stop bool) {
		return m.ID != id, m.ID == id
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("it is mounted in another mount namespace only")
	}
	return found[0], nil
}

// mountID is in fdinfo since Linux 3.15; statx tells it only since 5.8.
func (d *Dir) mountID() (int, error) {
	f, err := os.Open(d.kernel.procSelf("fdinfo", strconv.Itoa(d.fd)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "mnt_id:"); ok {
			return strconv.Atoi(strings.TrimSpace(id))
		}
	}
	return 0, errors.Join(fmt.Errorf("%s has no mnt_id", f.Name()), lines.Err())
}

func (k kernel) procSelf(elem ...string) string {
	return filepath.Join(append([]string{k.proc, "self"}, elem...)...)
}

// device is that of the directory's file system as procfs prints it.
func (d *Dir) device() (major, minor uint32, err error) {
	m, err := d.mount()
	if err != nil {
		var st unix.Stat_t
		err = unix.Fstat(d.fd, &st)
		return unix.Major(st.Dev), unix.Minor(st.Dev), err
	}
	return uint32(m.Major), uint32(m.Minor), nil // #nosec G115: 12 and 20 bits
}
