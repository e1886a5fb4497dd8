package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// knownStates are containerd's state directories, by distribution. Whatever
// data directory is looked at, all are searched: pods of one runtime can use
// the directories of another. A container's shim of K3s with --data-dir, for
// one, still runs from the default directory if that exists (k3s#10586).
var knownStates = []string{
	"/run/k3s/containerd",
	"/run/containerd",
	"/run/k0s/containerd",
	"/run/docker/containerd/daemon",
	"/var/snap/microk8s/common/run/containerd",
}

// The classes of a state directory. Each has a directory for each of
// containerd's namespaces, and in that one for each bundle.
const (
	taskDir    = "io.containerd.runtime.v2.task"
	sandboxDir = "io.containerd.sandbox.controller.v1.shim"
	oldDir     = "io.containerd.runtime.v1.linux"
)

// stateDirs gives every state directory that exists: the known ones, those of
// rootless users, those that a configuration names, and those in which a shim
// was seen to work. One that cannot be looked at is an error.
func (s *search) stateDirs() ([]string, error) {
	dirs := slices.Clone(knownStates)
	for _, d := range knownStates {
		if rest, ok := strings.CutPrefix(d, "/run/"); ok {
			dirs = append(dirs, "/var/run/"+rest)
		}
	}
	for _, pattern := range []string{"run/user/*/k3s/containerd", "run/user/*/containerd"} {
		found, err := fs.Glob(s.host.root, pattern)
		if err != nil {
			return nil, fmt.Errorf("looking for rootless state: %w", err)
		}
		for _, f := range found {
			dirs = append(dirs, "/"+f)
		}
	}
	dirs = append(dirs, slices.Sorted(maps.Keys(s.states))...)
	return s.existing(dirs)
}

// existing gives the directories that exist, each once whatever its spelling.
func (s *search) existing(dirs []string) ([]string, error) {
	var out []string
	var errs []error
	for _, d := range dirs {
		real, err := s.paths.resolve(d)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		info, err := fs.Stat(s.host.root, below(real))
		switch {
		case missing(err):
		case err != nil:
			errs = append(errs, fmt.Errorf("looking at %s: %w", d, err))
		case info.IsDir() && !slices.Contains(out, real):
			out = append(out, real)
		}
	}
	return out, errors.Join(errs...)
}

// bundle is a directory of one sandbox or container.
type bundle struct{ class, namespace, id, path string }

// bundles gives the bundles of one class in every state directory.
func (s *search) bundlesOf(ctx context.Context, class string) ([]bundle, error) {
	states, err := s.stateDirs()
	errs := []error{err}
	var out []bundle
	for _, state := range states {
		top := path.Join(state, class)
		namespaces, err := s.list(top)
		errs = append(errs, err)
		for _, ns := range namespaces {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			ids, err := s.list(path.Join(top, ns))
			errs = append(errs, err)
			for _, id := range ids {
				out = append(out, bundle{class, ns, id, path.Join(top, ns, id)})
			}
		}
	}
	return out, errors.Join(errs...)
}

// list gives the names of the directories in a directory, none if there is no
// such. containerd gives a bundle that it is about to remove a name that begins
// with a dot.
func (s *search) list(dir string) ([]string, error) {
	entries, err := fs.ReadDir(s.host.root, below(dir))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the runtime's state in %s: %w", dir, err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// read gives the content of a small file. It reports false if there is none.
func (s *search) read(file string) (string, bool, error) {
	real, err := s.paths.resolve(file)
	if err != nil {
		return "", false, err
	}
	data, err := fs.ReadFile(s.host.root, below(real))
	if missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading %s: %w", file, err)
	}
	return string(data), true, nil
}

// setting finds containerd's state and root in a configuration.
var setting = regexp.MustCompile(`(?m)^\s*(state|root)\s*=\s*["']([^"'\n]+)["']`)
