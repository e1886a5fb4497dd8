package safefs

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// blockSize is the unit of st_blocks, whatever the file system's own is.
const blockSize = 512

// identity is that of what an open descriptor stands for.
func identity(fd int) (hostgc.Identity, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return hostgc.Identity{}, err
	}
	return hostgc.Identity{
		Dev:   uint64(st.Dev), //nolint:unconvert // narrower on other architectures
		Ino:   st.Ino,
		Mode:  st.Mode,
		Nlink: uint32(st.Nlink), // #nosec G115: no file system counts further
		UID:   st.Uid,
		Size:  st.Size,
		Alloc: st.Blocks * blockSize,
		Mtime: time.Unix(st.Mtim.Unix()).UTC(),
		Ctime: time.Unix(st.Ctim.Unix()).UTC(),
	}, nil
}

func isRegular(id hostgc.Identity) bool { return id.Mode&unix.S_IFMT == unix.S_IFREG }

// typeName names the type in an st_mode, for people.
func typeName(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "regular file"
	case unix.S_IFDIR:
		return "directory"
	case unix.S_IFLNK:
		return "symlink"
	case unix.S_IFIFO:
		return "FIFO"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR:
		return "character device"
	case unix.S_IFBLK:
		return "block device"
	default:
		return fmt.Sprintf("file of mode %#o", mode)
	}
}

// difference says in which fields an inode is not the one judged.
func difference(now, judged hostgc.Identity) string {
	var out []string
	differ := func(field string, now, judged any) {
		if now != judged {
			out = append(out, fmt.Sprintf("%s is %v, was %v", field, now, judged))
		}
	}
	differ("device", now.Dev, judged.Dev)
	differ("inode", now.Ino, judged.Ino)
	differ("mode", fmt.Sprintf("%#o", now.Mode), fmt.Sprintf("%#o", judged.Mode))
	differ("number of links", now.Nlink, judged.Nlink)
	differ("owner", now.UID, judged.UID)
	differ("size", now.Size, judged.Size)
	differ("mtime", stamp(now.Mtime), stamp(judged.Mtime))
	differ("ctime", stamp(now.Ctime), stamp(judged.Ctime))
	return strings.Join(out, ", ")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
