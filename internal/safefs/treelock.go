package safefs

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// lock takes the flock of the trees' owner, without waiting. The lock file is
// neither made nor removed. If there is none, it is refused all the same: the
// owner makes it when it next makes a tree, and then holds a lock that we do
// not.
func (r *TreeRemover) lock() (unlock func(), err error) {
	if r.trees.Lock == "" {
		return func() {}, nil
	}
	if err := r.step(context.Background(), "lock"); err != nil {
		return nil, err
	}
	fd, err := r.flock(r.trees.Lock)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLocked, r.dir.join(r.trees.Lock), err)
	}
	return func() { _ = unix.Close(fd) }, nil
}

// flock opens for writing because NFS gives no exclusive lock without. A lock
// file that was exchanged before it was locked locks nobody out.
func (r *TreeRemover) flock(name string) (int, error) {
	fd, err := r.dir.kernel.openat2(r.dir.fd, name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, beneath)
	if err != nil {
		return -1, meaning(err)
	}
	if err := r.flockOpen(fd, name); err != nil {
		_ = unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (r *TreeRemover) flockOpen(fd int, name string) error {
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	locked, err := identity(fd)
	if err != nil {
		return err
	}
	now, err := r.dir.Identify(name) // refuses what is no regular file
	if err != nil {
		return err
	}
	if now.Dev != locked.Dev || now.Ino != locked.Ino {
		return ErrChanged
	}
	return nil
}
