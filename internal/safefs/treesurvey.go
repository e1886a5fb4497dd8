package safefs

import (
	"context"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc"
)

// A data directory of RKE2 has about 20 entries, one of K3s about 200, none is
// deeper than 3. What goes far beyond is something else, and is left alone.
const (
	maxTreeEntries = 10_000
	maxTreeDepth   = 32
)

// node is a file or directory of a tree, as it was found.
type node struct {
	path  string // below the directory of the trees
	name  string
	id    hostgc.Identity
	below []*node // sorted by name
}

func (n *node) isDir() bool { return n.id.Mode&unix.S_IFMT == unix.S_IFDIR }

// survey finds all that is in a tree, and refuses what must not be removed.
func (r *TreeRemover) survey(ctx context.Context, name string) (*node, error) {
	if err := r.step(ctx, "survey "+name); err != nil {
		return nil, err
	}
	s := surveyor{kernel: r.dir.kernel, left: maxTreeEntries}
	top, err := s.look(ctx, r.dir.fd, name, name, 0)
	switch {
	case err != nil:
		return nil, err
	case !top.isDir():
		return nil, fmt.Errorf("it is a %s: %w", typeName(top.id.Mode), unix.ENOTDIR)
	case top.id.UID != 0 && int64(top.id.UID) != int64(os.Geteuid()):
		return nil, fmt.Errorf("%w: uid %d", ErrOwner, top.id.UID)
	}
	return top, nil
}

type surveyor struct {
	kernel kernel
	left   int
	dev    uint64 // of the tree's own directory
}

// look describes an entry and what is below. Whatever is mounted on one, it
// does not go there: RESOLVE_NO_XDEV fails.
func (s *surveyor) look(ctx context.Context, dirfd int, name, path string, depth int) (*node, error) {
	s.left--
	if s.left < 0 || depth > maxTreeDepth {
		return nil, fmt.Errorf("%w: more than %d entries or %d levels, this is no data directory", ErrTooLarge, maxTreeEntries, maxTreeDepth)
	}
	fd, err := s.kernel.openat2(dirfd, name, unix.O_PATH|unix.O_NOFOLLOW, beneath)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", path, meaning(err))
	}
	defer func() { _ = unix.Close(fd) }()
	n := &node{path: path, name: name}
	if n.id, err = identity(fd); err != nil {
		return nil, fmt.Errorf("look at %s: %w", path, err)
	}
	if depth == 0 {
		s.dev = n.id.Dev
	}
	if err := s.acceptable(fd, n); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !n.isDir() {
		return n, nil
	}
	names, err := list(ctx, fd)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", path, err)
	}
	for _, name := range names {
		child, err := s.look(ctx, fd, name, path+"/"+name, depth+1)
		if err != nil {
			return nil, err
		}
		n.below = append(n.below, child)
	}
	return n, nil
}

// acceptable refuses what is somebody's intention, and what would stop the
// removal half-way. The device is compared for directories only: a btrfs
// subvolume has its own, but so has a file on an overlay.
func (s *surveyor) acceptable(fd int, n *node) error {
	switch n.id.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFLNK:
	case unix.S_IFDIR:
		if n.id.Dev != s.dev {
			return fmt.Errorf("another file system or subvolume: %w", ErrMounted)
		}
	default:
		return fmt.Errorf("a %s among files: %w", typeName(n.id.Mode), ErrNotRegular)
	}
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, 0, &st); err != nil {
		return err
	}
	if st.Attributes&(unix.STATX_ATTR_IMMUTABLE|unix.STATX_ATTR_APPEND) != 0 {
		return ErrImmutable
	}
	return nil
}

// list gives the names in a directory, sorted.
func list(ctx context.Context, fd int) ([]string, error) {
	open, err := openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(open) }()
	var names []string
	for e, err := range dirents(ctx, open) {
		if err != nil {
			return nil, err
		}
		if names = append(names, e.Name); len(names) > maxTreeEntries {
			break // look refuses it
		}
	}
	slices.Sort(names)
	return names, nil
}

// unchanged compares a tree with what it is now, under its new name: the
// rename changed the ctime of the top, and of nothing else.
func (n *node) unchanged(now *node) error {
	now.id.Ctime = n.id.Ctime
	return n.same(now)
}

func (n *node) same(now *node) error {
	if !now.id.Same(n.id) {
		return fmt.Errorf("%s %w: %s", now.path, ErrChanged, difference(now.id, n.id))
	}
	if !slices.EqualFunc(n.below, now.below, func(a, b *node) bool { return a.name == b.name }) {
		return fmt.Errorf("the entries of %s %w", now.path, ErrChanged)
	}
	for i := range n.below {
		if err := n.below[i].same(now.below[i]); err != nil {
			return err
		}
	}
	return nil
}
