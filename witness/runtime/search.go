package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hostgc/hostgc"
)

// traces are where the name of a directory is the ID of a sandbox or
// container, below a state directory. The first two have a directory for each
// of containerd's namespaces.
var traces = []string{
	"io.containerd.runtime.v2.task/*/",            // bundles
	"io.containerd.runtime.v1.linux/*/",           // bundles of the old shim, up to 1.7
	"io.containerd.sandbox.controller.v1.shim/*/", // bundles of sandboxes that are no containers, from 2.0
	"io.containerd.grpc.v1.cri/sandboxes/",
	"io.containerd.grpc.v1.cri/containers/",
	"*-containers/", // overlay-containers, vfs-containers
}

// search is one walk through the state directories.
type search struct {
	root   fs.FS
	claims map[string]hostgc.Claim // by ID
	dirs   []string                // that exist
}

// state looks for every trace in one state directory. The error is the first
// one; what is readable is read in spite of it.
func (s *search) state(dir string) error {
	if exists, err := s.exists(dir); err != nil || !exists {
		return err
	}
	s.dirs = append(s.dirs, dir)
	var errs []error
	for _, trace := range traces {
		errs = append(errs, s.walk(dir, trace))
	}
	return errors.Join(errs...)
}

// exists reports whether there is such a directory. A link to nowhere on the
// way is an error: below a root other than "/" an absolute link leads out of
// the root, and the runtime may well keep its state where it leads on the host.
func (s *search) exists(dir string) (bool, error) {
	for p := dir; ; p = path.Dir(p) {
		_, err := fs.Stat(s.root, below(p))
		if !errors.Is(err, fs.ErrNotExist) {
			return p == dir, nil
		}
		if below(p) == "." {
			return false, fmt.Errorf("looking for the runtime's state in %s: the host's root: %w", dir, err)
		}
		if _, err := fs.Lstat(s.root, below(p)); err == nil {
			return false, fmt.Errorf("looking for the runtime's state in %s: %s is a symbolic link that leads nowhere from here: name the directory itself", dir, p)
		}
	}
}

// walk follows a pattern down from a directory; at its end are the traces.
func (s *search) walk(dir, pattern string) error {
	segment, rest, more := strings.Cut(pattern, "/")
	if more && !strings.Contains(segment, "*") {
		return s.walk(path.Join(dir, segment), rest)
	}
	entries, err := fs.ReadDir(s.root, below(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the runtime's state in %s: hostgc must be able to read this directory of the host: %w", dir, err)
	}
	var errs []error
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		if !more {
			errs = append(errs, s.trace(at, e))
		} else if ok, _ := path.Match(segment, e.Name()); ok && e.IsDir() {
			errs = append(errs, s.walk(at, rest))
		}
	}
	return errors.Join(errs...)
}

// trace claims what a directory is named after, and the sandbox that it is in.
// The bundle of a container has a file with its sandbox's ID, from 1.7 on.
func (s *search) trace(at string, e fs.DirEntry) error {
	if !isID(e.Name()) {
		return nil
	}
	s.claim(e.Name(), "the runtime's state has "+at)
	if !e.IsDir() {
		return nil
	}
	file := path.Join(at, "sandbox")
	data, err := fs.ReadFile(s.root, below(file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the sandbox of a bundle: %w", err)
	}
	if id := strings.TrimSpace(string(data)); isID(id) {
		s.claim(id, "a container of it has "+file)
	}
	return nil
}

func (s *search) claim(id, detail string) {
	if _, ok := s.claims[id]; !ok {
		ref := hostgc.Ref{Space: hostgc.SpaceSandbox, Key: id}
		s.claims[id] = hostgc.Claim{Ref: ref, Witness: name, Detail: detail}
	}
}

func (s *search) answer() hostgc.Answer {
	a := hostgc.Answer{Says: "no state directory of a runtime"}
	for _, c := range s.claims {
		a.Claims = append(a.Claims, c)
	}
	slices.SortFunc(a.Claims, func(a, b hostgc.Claim) int { return strings.Compare(a.Ref.Key, b.Ref.Key) })
	if len(s.dirs) > 0 {
		a.Says = fmt.Sprintf("traces of %d sandboxes and containers below %s", len(a.Claims), strings.Join(s.dirs, ", "))
	}
	return a
}

// below gives the name that a path on the host has in the file system.
func below(p string) string {
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	if p == "" {
		return "."
	}
	return p
}

// isID reports whether a name is an ID of a sandbox or container: 64 lower-case
// hexadecimal digits. containerd gives a directory that it is about to remove
// a name that begins with a dot; it is no trace any more.
func isID(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}
