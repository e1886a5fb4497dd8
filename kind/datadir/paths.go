package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links the kernel follows in one path.
const maxLinks = 40

// paths follows paths of the host through symbolic links, as the host would.
// The file system's own way is not used: os.DirFS follows an absolute link out
// of a recorded or mounted root. What was read is remembered for one look.
type paths struct {
	root  fs.FS
	links map[string]string // by path: where the link there leads, "" if it is none
}

func newPaths(root fs.FS) *paths { return &paths{root: root, links: map[string]string{}} }

// below gives the name that an absolute path has in the file system.
func below(p string) string {
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	if p == "" {
		return "."
	}
	return p
}

// resolve follows every link of an absolute path. From the first component
// that does not exist, the rest is kept as it stands.
func (p *paths) resolve(name string) (string, error) {
	done := "/"
	rest := strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := rest[0]
		rest = rest[1:]
		switch next {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		at := path.Join(done, next)
		to, err := p.link(at)
		if err != nil {
			return "", err
		}
		if to == "" {
			done = at
			continue
		}
		if links++; links > maxLinks {
			return path.Join(append([]string{at}, rest...)...), nil // to nowhere, for the kernel too
		}
		if path.IsAbs(to) {
			done = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return done, nil
}

// link gives where a link leads, "" for what is none or does not exist.
func (p *paths) link(at string) (string, error) {
	if to, ok := p.links[at]; ok {
		return to, nil
	}
	to, err := fs.ReadLink(p.root, below(at))
	switch {
	case err == nil, notLink(err):
	case errors.Is(err, syscall.ENAMETOOLONG):
	default:
		return "", fmt.Errorf("following links: %w", err)
	}
	p.links[at] = to
	return to, nil
}

// notLink: there is nothing, something that is no link, or its parent is no
// directory.
func notLink(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EINVAL) ||
		errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.ENOTDIR)
}

// missing: there is no such file, and that is an answer.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
