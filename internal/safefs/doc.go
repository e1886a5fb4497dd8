// Package safefs is the one place of hostgc that opens and removes host files.
//
// hostgc runs as root in directories into which others write, some of them
// relocated by symlinks, some of them mounted. A path is therefore looked up
// once and from then on only descriptors count:
//
//	Root   the host's root directory, pinned when it is opened
//	Dir    a directory below it. Symlinks on the way are legitimate
//	       (/var/lib/rancher moved to /data): they are followed once, never
//	       out of the root, and the result is pinned.
//	name   an entry of a Dir: one component, never a path, never followed
//	tree   a directory of a Dir that goes as a whole: see [TreeRemover]
//
// # What it stands against
//
//   - A component of the path is exchanged for a symlink while hostgc works:
//     the pinned directory stays the one that was opened, and entries are
//     opened by openat2 with RESOLVE_BENEATH, NO_SYMLINKS and NO_MAGICLINKS.
//   - A mount on an entry, also a bind mount of the same file system, which
//     comparing st_dev does not show: RESOLVE_NO_XDEV refuses it. Go's os.Root
//     confines symlinks but walks through mounts, so it is not used here.
//   - An entry that was replaced, rewritten or linked to after it was judged:
//     the inode is compared in every field with the one judged.
//   - A FIFO that blocks whoever opens it: O_NONBLOCK. A device whose mere
//     opening does something: Identify looks without opening.
//   - A node without free inodes: neither the lock nor a removal needs one.
//
// openat2 exists since Linux 5.6, and old seccomp profiles hide it (ENOSYS or
// EPERM). Reading then falls back to plain opens, because what is misread is
// at worst reported wrongly. Removing is refused, there is no fallback.
//
// # What it cannot do
//
// Linux removes names, not inodes: between the last look at the inode and
// unlinkat lie some microseconds in which the name can get another inode. That
// is harmless only for names that their owner never gives away again, such as
// those that contain a sandbox ID. A kind whose names are reused (host-local's
// IPs) has to hold its owner's lock while it removes.
//
// A name that is a mountpoint only in another mount namespace shows nothing
// here, and since Linux 3.18 unlinking it succeeds and detaches that mount
// there (kernel commit 8ed936b5671b). Location gives what is needed to compare
// a directory with the mounts of other namespaces before that.
package safefs
