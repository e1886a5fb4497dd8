// Package datadir judges the versioned data directories of RKE2 and K3s.
//
// Each release unpacks its containerd, shim, runc and kubelet into a directory
// of its own, 300 MB each, and an upgrade leaves the old one behind. It must
// not go too early: pods of the old release go on running with the old shim,
// which looks for the old runc at each exec and at its end, and containerd
// needs the old shim's path when it is started again. Where all that is written
// down, nobody keeps a list of. So this package looks at every place where a
// reference can be, and a directory is garbage only if none of them names it
// and every one of them could be read.
//
// # The way through
//
//	trees    the directories, each with every inode in it      tree.go
//	search   what is looked for: by inode, by path, by name    search.go
//	sources  where it is looked for, one file a source         sources.go
//	holds    retained, not quiet, not proven                   hold.go
//	judge    hostgc.Bench.Judge, which can only keep           look.go
//	clean    twice, then the remover, who asks once more       clean.go
//
// # How something is recognised
//
// By inode, because that survives a relocated data directory, a hostPath
// prefix, a rename and "(deleted)". By path, each link of it followed. And by
// name: a directory's name has a hash in it, so wherever that name stands as a
// whole word, in whatever spelling of whatever path, this directory is meant.
//
// In doubt a directory is kept. What is kept for one more cycle costs 300 MB;
// what is removed once too early costs pods that cannot be deleted any more.
package datadir
