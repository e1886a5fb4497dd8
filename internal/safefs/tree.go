package safefs

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostgc/hostgc"
)

// What else can be in the way of a tree, for errors.Is.
var (
	ErrLocked    = errors.New("the lock of the directories' owner cannot be had")
	ErrImmutable = errors.New("marked immutable or append-only, see chattr(1)")
)

// Trees says which directories a TreeRemover may remove, and how.
type Trees struct {
	// Match reports whether a name is one that may ever be removed.
	Match func(name string) bool

	// First names direct entries of a tree that go before all others, in this
	// order. While it is removed a tree has a name that its owner never looks
	// at; the order is for the day on which somebody renames half a tree back:
	// what the owner takes as the mark of a whole one (RKE2: ".extracted",
	// before it "bin" and "charts") must be the first to be missing.
	First []string

	// Lock is the entry beside the trees on which their owner takes a flock
	// while it makes one (K3s: ".lock"). It is held throughout. "": the owner
	// has none.
	Lock string
}

// TreeRemover removes directories, with all that is below, from one directory.
// A tree passes through three names:
//
//	<name>                    whole
//	.hostgc-<name>            whole, set aside: what still uses it shows now
//	.hostgc-removing-<name>   past the point of no return, whole or in part
//
// A rename is atomic and needs no free inode, so a crash at any point leaves
// the tree under just one of them. Resume goes on from there. Up to the second
// rename, any objection gives the tree its first name back.
//
// Only what was found below it before the first rename, and found unchanged
// after the last objection could be made, is removed: a file that somebody
// puts into the tree later stops the removal.
//
// What shows neither in the tree nor in this mount namespace is Recheck's to
// find.
type TreeRemover struct {
	dir   *Dir
	trees Trees
	fault func(step string) error // tests fail, or die, before a step
}

// Recheck looks once more for what uses a tree that was set aside, and objects
// with an error. It must look
//
//   - by inode, because processes and mounts made before the rename keep what
//     they have, under any name: /proc of each process, and the mounts of each
//     mount namespace, as source and as target, compared with Dir.Location;
//   - for records of the tree's own name (TreeName gives it), because they
//     tell what will be started from there.
//
// Removing the mountpoint or the source of another namespace's mount succeeds:
// nothing but Recheck prevents it.
type Recheck func(ctx context.Context, renamed string) error

// RemovedTree is what a removal took away. With an error it may be part of it.
type RemovedTree struct {
	Name    string // the tree's own
	Entries int    // names removed, of files and of directories
	Inodes  int    // of these, the inodes that no other name is left of
	Bytes   int64  // allocated by these inodes; free once no process has them open
}

// TreeRemover gives the power to remove the directories that trees describes.
// As with Remover, it is refused with ErrNoOpenat2 where openat2 does not work.
func (d *Dir) TreeRemover(trees Trees) (*TreeRemover, error) {
	if _, err := d.Remover(trees.Match); err != nil {
		return nil, err
	}
	return &TreeRemover{dir: d, trees: trees}, nil
}

// Remove removes a tree if its directory is still just what was judged and
// recheck does not object.
//
// ErrOutside, ErrGone, ErrOwner, ErrMounted, ErrNotRegular, ErrImmutable,
// ErrTooLarge, ErrLocked, ErrChanged and recheck's own error say why it is left
// alone; anything else is the file system's word. The tree then has its own
// name still, or again. The error says so if that is not so: where the name was
// taken meanwhile (both directories are kept), and where something was removed
// already. Resume goes on with both.
func (r *TreeRemover) Remove(ctx context.Context, name string, judged hostgc.Identity, recheck Recheck) (RemovedTree, error) {
	gone, err := r.remove(ctx, name, judged, recheck)
	if err != nil {
		err = fmt.Errorf("remove directory %s: %w", r.dir.join(name), err)
	}
	return gone, err
}

func (r *TreeRemover) remove(ctx context.Context, name string, judged hostgc.Identity, recheck Recheck) (RemovedTree, error) {
	none := RemovedTree{Name: name}
	if !r.removable(name) {
		return none, ErrOutside
	}
	unlock, err := r.lock()
	if err != nil {
		return none, err
	}
	defer unlock()
	found, err := r.survey(ctx, name)
	if err != nil {
		return none, err
	}
	if !found.id.Same(judged) {
		return none, fmt.Errorf("%w: %s", ErrChanged, difference(found.id, judged))
	}
	if err := r.rename(name, aside(name)); err != nil {
		return none, err
	}
	if err := r.confirm(ctx, aside(name), found, recheck); err != nil {
		return none, r.restore(aside(name), name, err)
	}
	return r.takeAway(ctx, name, found)
}

// confirm asks recheck, and looks last whether the tree is still what was
// found, because recheck takes time.
func (r *TreeRemover) confirm(ctx context.Context, entry string, found *node, recheck Recheck) error {
	if recheck == nil {
		return errors.New("nobody looks whether it is in use")
	}
	if err := r.step(ctx, "recheck"); err != nil {
		return err
	}
	if err := recheck(ctx, entry); err != nil {
		return fmt.Errorf("it may be in use: %w", err)
	}
	now, err := r.survey(ctx, entry)
	if err != nil {
		return err
	}
	return found.unchanged(now)
}

// takeAway removes a tree that was set aside and confirmed.
func (r *TreeRemover) takeAway(ctx context.Context, name string, found *node) (RemovedTree, error) {
	if err := r.rename(aside(name), removing(name)); err != nil {
		return RemovedTree{Name: name}, r.restore(aside(name), name, err)
	}
	gone, err := r.delete(ctx, name, found)
	if err != nil && gone.Entries == 0 {
		err = r.restore(removing(name), name, err)
	}
	return gone, err
}

// step is passed before each system call that changes something.
func (r *TreeRemover) step(ctx context.Context, step string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.fault == nil {
		return nil
	}
	return r.fault(step)
}
