package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// linkDirs are patterns, below the root, of where people and products put links into a versioned directory:
// many guides link kubectl and crictl out of the one that was current then.
var linkDirs = []string{
	"usr/local/bin", "usr/local/sbin", "usr/bin", "usr/sbin", "bin", "sbin",
	"opt/bin", "opt/cni/bin", "opt/rke2/bin", "opt/containerd/bin", "opt/nri/bin",
	"etc/alternatives", "root", "root/bin",
	"usr/libexec/cni", "usr/lib/cni", "var/lib/cni/bin",
	"etc/systemd/system", "usr/local/lib/systemd/system",
}

// links are the references by a symbolic link: <data-dir>/bin, data/current,
// data/previous, the links in data/cni, and those of users. Each link on the
// way counts, and a dangling one counts by its text.
func links(ctx context.Context, s *search) (string, error) {
	var errs []error
	var dirs []string
	for _, pattern := range linkDirs {
		found, err := s.glob(pattern)
		errs = append(errs, err)
		for _, d := range found {
			dirs = append(dirs, "/"+d)
		}
	}
	more, err := s.dataDirs()
	errs = append(errs, err)
	for _, d := range append(more, s.dataDir) {
		dirs = append(dirs, d, d+"/bin", DataOf(d), DataOf(d)+"/cni")
	}
	n := 0
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		found, err := s.linksIn(dir)
		n += found
		errs = append(errs, err)
	}
	return count(n, "link"), errors.Join(errs...)
}

// linksIn follows the links in a directory. If the directory is a tree's own,
// for <data-dir>/bin leads there, its links are its own business.
func (s *search) linksIn(dir string) (int, error) {
	real, err := s.paths.resolve(dir)
	if err != nil {
		return 0, err
	}
	if s.at(real) != nil {
		return 0, nil
	}
	entries, err := fs.ReadDir(s.host.root, below(real))
	if missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("listing links in %s: %w", dir, err)
	}
	n := 0
	var errs []error
	for _, e := range entries {
		if e.Type() != fs.ModeSymlink {
			continue
		}
		n++
		errs = append(errs, s.followed(path.Join(real, e.Name())))
	}
	return n, errors.Join(errs...)
}

// followed refers to every tree that a link leads to or through.
func (s *search) followed(at string) error {
	to, err := s.paths.link(at)
	if err != nil || to == "" {
		return err
	}
	found := s.named(to)
	if !path.IsAbs(to) {
		to = path.Join(path.Dir(at), to)
	}
	more, err := s.byPath(to)
	for _, t := range append(found, more...) {
		what := "the link " + at + " leads to it"
		if s.isCurrent(at) {
			what = "it is the current one: " + at + " leads to it"
		}
		s.refer(t, Use{Source: "links", What: what, Cure: "it ends when the link is removed or leads elsewhere"})
	}
	return err
}

// isCurrent reports whether a link is the one by which the supervisor says
// what is current.
func (s *search) isCurrent(at string) bool {
	real, err := s.paths.resolve(path.Dir(s.dataDir + "/" + s.product.Current[0]))
	return err == nil && at == path.Join(real, path.Base(s.product.Current[0]))
}

// currentTree gives the tree that a link of the product leads to, nil if it
// leads to none of those that are known.
func (s *search) currentTree(link string) (*Tree, error) {
	real, err := s.paths.resolve(path.Join(s.dataDir, link))
	if err != nil {
		return nil, err
	}
	return s.at(real), nil
}
