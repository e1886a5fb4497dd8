package safefs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// delete removes what was found of a tree whose removal is decided.
func (r *TreeRemover) delete(ctx context.Context, name string, found *node) (RemovedTree, error) {
	del := deletion{TreeRemover: r, gone: RemovedTree{Name: name}}
	err := del.sync(ctx)
	if err == nil {
		err = del.remove(ctx, r.dir.fd, removing(name), r.inOrder(found))
	}
	if err != nil && del.gone.Entries > 0 {
		err = fmt.Errorf("%w; %d entries are removed, the rest stays at %s for the next run", err, del.gone.Entries, r.dir.join(removing(name)))
	}
	return del.gone, err
}

// inOrder gives the tree with what is to go first in front.
func (r *TreeRemover) inOrder(found *node) *node {
	rank := func(n *node) int {
		if i := slices.Index(r.trees.First, n.name); i >= 0 {
			return i
		}
		return len(r.trees.First)
	}
	top := *found
	top.below = slices.Clone(found.below)
	slices.SortStableFunc(top.below, func(a, b *node) int { return cmp.Compare(rank(a), rank(b)) })
	return &top
}

type deletion struct {
	*TreeRemover
	gone RemovedTree
}

// sync makes sure that no power failure undoes the rename and keeps a removal:
// not every file system orders them.
func (d *deletion) sync(ctx context.Context) error {
	if err := d.step(ctx, "sync"); err != nil {
		return err
	}
	fd, err := d.dir.reopen()
	if err != nil {
		return fmt.Errorf("sync %s: %w", d.dir.path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Fsync(fd); err != nil {
		return fmt.Errorf("sync %s: %w", d.dir.path, err)
	}
	return nil
}

// remove removes an entry, what is below first.
func (d *deletion) remove(ctx context.Context, dirfd int, name string, n *node) error {
	fd, now, err := d.open(dirfd, name, n)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if !n.isDir() {
		return d.unlink(ctx, dirfd, name, n, now)
	}
	for _, child := range n.below {
		if err := d.remove(ctx, fd, child.name, child); err != nil {
			return err
		}
	}
	return d.rmdir(ctx, dirfd, name, n)
}

// open pins an entry, if it is still the one found, and no mount came on it.
func (d *deletion) open(dirfd int, name string, n *node) (int, hostgc.Identity, error) {
	fd, err := d.dir.kernel.openat2(dirfd, name, unix.O_PATH|unix.O_NOFOLLOW, beneath)
	if err != nil {
		return -1, hostgc.Identity{}, fmt.Errorf("remove %s: %w", n.path, meaning(err))
	}
	now, err := identity(fd)
	if err == nil && !n.found(now) {
		err = fmt.Errorf("%w: %s", ErrChanged, difference(now, n.id))
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, now, fmt.Errorf("remove %s: %w", n.path, err)
	}
	return fd, now, nil
}

// found leaves out what the removal itself has changed by then: the ctime of
// the top, and links and ctime of a file with two names in the tree.
func (n *node) found(now hostgc.Identity) bool {
	was := n.id
	was.Nlink, was.Ctime = now.Nlink, now.Ctime
	return now.Same(was)
}

func (d *deletion) unlink(ctx context.Context, dirfd int, name string, n *node, now hostgc.Identity) error {
	if err := d.step(ctx, "unlink "+n.path); err != nil {
		return err
	}
	if err := unix.Unlinkat(dirfd, name, 0); err != nil {
		return fmt.Errorf("remove %s: %w", n.path, meaning(err))
	}
	d.gone.Entries++
	if now.Nlink == 1 {
		d.gone.Inodes++
		d.gone.Bytes += now.Alloc
	}
	return nil
}

// rmdir fails if something was put into the directory since it was found.
// Between the look and the call the name can at worst get another directory,
// an empty one.
func (d *deletion) rmdir(ctx context.Context, dirfd int, name string, n *node) error {
	if err := d.step(ctx, "rmdir "+n.path); err != nil {
		return err
	}
	err := unix.Unlinkat(dirfd, name, unix.AT_REMOVEDIR)
	if err == unix.ENOTEMPTY || err == unix.EEXIST {
		return fmt.Errorf("something was put into %s, which %w: %w", n.path, ErrChanged, err)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", n.path, meaning(err))
	}
	d.gone.Entries++
	d.gone.Inodes++
	d.gone.Bytes += n.id.Alloc
	return nil
}
