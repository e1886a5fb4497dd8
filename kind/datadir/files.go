package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// glob follows a pattern below the root. Unlike fs.Glob it says what it could
// not read: what is not seen cannot be called absent.
func (s *search) glob(pattern string) ([]string, error) {
	dirs := []string{"."}
	var errs []error
	for _, segment := range strings.Split(pattern, "/") {
		var next []string
		for _, dir := range dirs {
			more, err := s.matching(dir, segment)
			errs = append(errs, err)
			next = append(next, more...)
		}
		dirs = next
	}
	return dirs, errors.Join(errs...)
}

// matching gives the entries of a directory that match one segment.
func (s *search) matching(dir, segment string) ([]string, error) {
	if !strings.ContainsAny(segment, "*?[") {
		return []string{path.Join(dir, segment)}, nil
	}
	real, err := s.paths.resolve("/" + dir)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(s.host.root, below(real))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing /%s: %w", dir, err)
	}
	var out []string
	for _, e := range entries {
		if ok, _ := path.Match(segment, e.Name()); ok {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out, nil
}

// maxText is the largest file that is searched as configuration. What is
// larger is none, and is an error: nothing is passed over in silence.
const maxText = 4 << 20

// maxDepth is how deep configuration directories are searched.
const maxDepth = 6

// texts searches all files of directories, or single files, given as patterns
// below the root, for what names a tree. Directories are searched all the way
// down; links are followed to files only, a link to a directory is one to
// another configuration.
type texts struct {
	*search
	source string
	what   string // what such a file is: "the systemd unit"
	cure   string
	count  int
	each   func(file, text string) // may be nil
}

func (x *texts) all(ctx context.Context, patterns ...string) error {
	var errs []error
	for _, pattern := range patterns {
		found, err := x.glob(pattern)
		errs = append(errs, err)
		for _, name := range found {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			errs = append(errs, x.walk("/"+name, 0))
		}
	}
	return errors.Join(errs...)
}

func (x *texts) walk(at string, depth int) error {
	real, err := x.paths.resolve(at)
	if err != nil {
		return err
	}
	info, err := fs.Lstat(x.host.root, below(real))
	switch {
	case missing(err):
		return nil
	case err != nil:
		return fmt.Errorf("looking at %s: %w", at, err)
	case info.Mode().IsRegular():
		return x.file(at, info.Size())
	case !info.IsDir() || depth > 0 && real != at:
		return nil // a device; a link to another directory
	case depth > maxDepth:
		return fmt.Errorf("%s: configuration is nested more than %d directories deep", at, maxDepth)
	}
	entries, err := fs.ReadDir(x.host.root, below(real))
	if err != nil {
		return fmt.Errorf("listing %s: %w", at, err)
	}
	var errs []error
	for _, e := range entries {
		errs = append(errs, x.walk(path.Join(real, e.Name()), depth+1))
	}
	return errors.Join(errs...)
}

func (x *texts) file(at string, size int64) error {
	if size > maxText {
		return fmt.Errorf("%s has %d bytes, more than any configuration, and was not searched", at, size)
	}
	text, ok, err := x.read(at)
	if err != nil || !ok {
		return err
	}
	x.count++
	if x.each != nil {
		x.each(at, text)
	}
	found, err := x.inText(text)
	for _, t := range found {
		x.refer(t, Use{Source: x.source, What: x.what + " " + at + " names " + t.label(), Cure: x.cure})
	}
	return err
}
