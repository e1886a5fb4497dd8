package cri

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// dial connects to a socket of the host and says who listens there.
func dial(ctx context.Context, root, socket string) (net.Conn, Peer, error) {
	resolved, _, err := resolve(os.DirFS(root), socket)
	if err != nil {
		return nil, Peer{}, err
	}
	path := filepath.Join(root, resolved)
	conn, err := connect(ctx, path)
	if err != nil {
		return nil, Peer{}, err
	}
	made, err := socketMade(path)
	if err != nil {
		_ = conn.Close()
		return nil, Peer{}, err
	}
	return conn, Peer{SocketPath: path, SocketMade: made, PID: listener(conn)}, nil
}

// connect dials by the directory's descriptor where the path is longer than
// the kernel takes in a socket address, as below a deeply mounted host root.
func connect(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	if len(path) < len(unix.RawSockaddrUnix{}.Path) {
		return d.DialContext(ctx, "unix", path)
	}
	dir, err := os.OpenFile(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close() //nolint:errcheck // opened by path only
	conn, err := d.DialContext(ctx, "unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	return conn, nil
}

// socketMade is the later of the socket inode's times. Binding sets both, and
// nothing that a runtime's client does changes them.
func socketMade(path string) (time.Time, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return time.Time{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	mtime, ctime := time.Unix(st.Mtim.Unix()), time.Unix(st.Ctim.Unix())
	if mtime.After(ctime) {
		return mtime, nil
	}
	return ctime, nil
}

// listener gives the PID of the process that listens, which the kernel noted
// at its listen(2), as seen from this PID namespace. It is 0 where the process
// is not visible from here.
func listener(conn net.Conn) int {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	_ = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}
