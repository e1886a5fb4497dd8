package datadir

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// maxCopies is how often a database that changes is copied again.
const maxCopies = 5

// readDatabase gives the containers and sandboxes in a database of containerd.
//
// The copy is taken into memory, because the disk may be full, twice: between
// two equal copies nothing was written, and what bolt's file holds at a moment
// is as good as after a power cut.
func readDatabase(ctx context.Context, root fs.FS, name string, mentions func(string) bool) ([]RuntimeUse, error) {
	for range maxCopies {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		first, sum, err := copyToMemory(root, name)
		if err != nil {
			return nil, err
		}
		again, sum2, err := copyToMemory(root, name)
		if err != nil {
			_ = first.Close()
			return nil, err
		}
		_ = again.Close()
		if sum == sum2 {
			return openDatabase(first, mentions)
		}
		_ = first.Close()
	}
	return nil, errors.New("it changes all the time; give the kind containerd's API instead")
}

// copyToMemory copies a file into one that has no name.
func copyToMemory(root fs.FS, name string) (f *os.File, sum [sha256.Size]byte, err error) {
	src, err := root.Open(name)
	if err != nil {
		return nil, sum, err
	}
	defer src.Close() //nolint:errcheck // only read
	fd, err := unix.MemfdCreate("meta.db", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, sum, fmt.Errorf("making a file in memory: %w", err)
	}
	f = os.NewFile(uintptr(fd), "meta.db") // #nosec G115: a descriptor is not negative
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), src)
	if err != nil {
		_ = f.Close()
		return nil, sum, err
	}
	if n == 0 { // bolt would make a new one of it
		_ = f.Close()
		return nil, sum, errors.New("the database is empty")
	}
	copy(sum[:], h.Sum(nil))
	return f, sum, nil
}

// openDatabase reads the copy, and closes it. bolt panics, or reads beyond the
// file, where a database is damaged; that is an error like any other.
func openDatabase(f *os.File, mentions func(string) bool) (all []RuntimeUse, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			all, err = nil, fmt.Errorf("the database is damaged: %v", r)
		}
	}()
	db, err := bolt.Open("meta.db", 0, &bolt.Options{
		ReadOnly: true, OpenFile: func(string, int, os.FileMode) (*os.File, error) { return f, nil },
	})
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("opening the copy: %w", err)
	}
	defer db.Close() //nolint:errcheck // only read
	err = db.View(func(tx *bolt.Tx) error {
		v1 := tx.Bucket([]byte("v1"))
		if v1 == nil {
			return nil // containerd has written nothing yet
		}
		return v1.ForEachBucket(func(ns []byte) error {
			for _, class := range []string{"containers", "sandboxes"} {
				all = append(all, readClass(v1.Bucket(ns).Bucket([]byte(class)), class, mentions)...)
			}
			return nil
		})
	})
	return all, err
}

// readClass reads the buckets of containers or sandboxes, by their ID: runtime
// with name and options, labels, and more. Whatever in it names a tree counts.
func readClass(b *bolt.Bucket, class string, mentions func(string) bool) []RuntimeUse {
	if b == nil {
		return nil
	}
	var all []RuntimeUse
	_ = b.ForEachBucket(func(id []byte) error { // the error is that of the function
		one := b.Bucket(id)
		u := RuntimeUse{ID: string(id), Sandbox: string(one.Get([]byte("sandboxid")))}
		if rt := one.Bucket([]byte("runtime")); rt != nil {
			u.Runtime = string(rt.Get([]byte("name")))
			u.Paths = append(u.Paths, string(rt.Get([]byte("options"))))
		}
		if labels := one.Bucket([]byte("labels")); labels != nil {
			u.Pod = Pod{
				string(labels.Get([]byte("io.kubernetes.pod.namespace"))),
				string(labels.Get([]byte("io.kubernetes.pod.name"))),
				string(labels.Get([]byte("io.kubernetes.pod.uid"))),
			}
			if class == "sandboxes" || string(labels.Get([]byte("io.cri-containerd.kind"))) == "sandbox" {
				u.Sandbox = u.ID
			}
		}
		u.Paths = append(u.Paths, values(one, mentions)...)
		all = append(all, u)
		return nil
	})
	return all
}

// values gives every value in a bucket, at any depth, that names a tree: the
// specification with its mounts, extensions, annotations.
func values(b *bolt.Bucket, mentions func(string) bool) []string {
	var out []string
	_ = b.ForEach(func(k, v []byte) error {
		if v == nil {
			out = append(out, values(b.Bucket(k), mentions)...)
		} else if text := string(v); mentions(text) {
			out = append(out, strings.ToValidUTF8(text, "?"))
		}
		return nil
	})
	return out
}
