package datadir

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Use is one reference to a directory.
type Use struct {
	Name   string // of the directory
	Source string // which witness found it
	// What says how it is used, in words that follow who uses it:
	// "still runs with the shim of v1.30.7".
	What string
	// Holder is the sandbox or container that it is used for, if it is one.
	Holder string
	// Cure says how the use ends, where it is no pod's.
	Cure string
}

// search is one look through all sources.
type search struct {
	host    host
	product Product
	dataDir string
	dir     string // where the trees are, without links
	trees   []*Tree

	paths   *paths
	inodes  map[inode]*Tree
	numbers map[uint64]bool // the inodes' numbers, whatever their device
	bases   map[string]bool
	names   []name

	seen       map[Use]bool
	uses       []Use
	pods       map[string]Pod    // by sandbox
	boxes      map[string]string // sandbox by container
	states     map[string]bool   // more state directories that the search came across
	roots      []string          // containerd roots that a configuration names
	configured []string          // data directories that configuration names
	runs       []running
	jobs       []process // systemctl, about to start or stop a unit of ours
	agents     []process // of Rancher: rancher-system-agent
	plans      []process // what that is running
	orphans    []bundle
}

// name is a word by which a tree is known.
type name struct {
	text string
	tree *Tree
}

// host is where the search looks.
type host struct {
	root fs.FS // the host's files
	proc fs.FS // the host's /proc; nil: there is none
	live bool  // the kernel's own, not a recorded one
	now  time.Time
}

func newSearch(h host, p Product, dataDir, real string, trees []*Tree) *search {
	s := &search{
		host: h, product: p, dataDir: dataDir, dir: real,
		paths: newPaths(h.root), inodes: map[inode]*Tree{}, numbers: map[uint64]bool{}, bases: map[string]bool{},
		seen: map[Use]bool{}, pods: map[string]Pod{}, boxes: map[string]string{}, states: map[string]bool{},
	}
	for _, t := range trees {
		if !p.Match(t.Name) {
			continue
		}
		s.trees = append(s.trees, t)
		for n := range t.inodes {
			if n.ino != 0 {
				s.inodes[n] = t
				s.numbers[n.ino] = true
			}
		}
		for b := range t.bases {
			s.bases[b] = true
		}
		s.names = append(s.names, name{t.Name, t})
		if t.entry != t.Name {
			s.names = append(s.names, name{t.entry, t})
		}
	}
	return s
}

// refer notes a use of a tree, once.
func (s *search) refer(t *Tree, u Use) {
	u.Name = t.Name
	if !s.seen[u] {
		s.seen[u] = true
		s.uses = append(s.uses, u)
	}
}

// byInode gives the tree that a file is in.
func (s *search) byInode(info fs.FileInfo) *Tree {
	id := identity(info)
	if id.Ino == 0 {
		return nil
	}
	return s.inodes[inode{id.Dev, id.Ino}]
}

// byPath gives the tree that a path of the host leads to, at its end or on the
// way there, or that it names.
func (s *search) byPath(p string) ([]*Tree, error) {
	found := s.named(p)
	if !path.IsAbs(p) || strings.ContainsRune(p, 0) {
		return found, nil
	}
	real, err := s.paths.resolve(p)
	if err != nil {
		return found, err
	}
	if t := s.at(real); t != nil && !slices.Contains(found, t) {
		found = append(found, t)
	}
	return found, nil
}

// at gives the tree that a path without links is in.
func (s *search) at(real string) *Tree {
	rest, ok := strings.CutPrefix(real, s.dir+"/")
	if !ok {
		return nil
	}
	entry, _, _ := strings.Cut(rest, "/")
	for _, t := range s.trees {
		if t.entry == entry {
			return t
		}
	}
	return nil
}

// named gives the trees whose name stands in a text as a whole word: "…-abcd"
// and "…-abc.bak" are not "…-abc".
func (s *search) named(text string) []*Tree {
	var found []*Tree
	for _, n := range s.names {
		if hasWord(text, n.text) && !slices.Contains(found, n.tree) {
			found = append(found, n.tree)
		}
	}
	return found
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		if (start == 0 || !inName(text[start-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		from = start + 1
	}
}

// inName reports whether a byte can be part of a directory's name.
func inName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
}

// tokens gives the absolute paths that stand in a text. Whatever ends a path
// in TOML, JSON, a unit or a shell script ends it.
func tokens(text string) []string {
	var out []string
	for i := 0; i < len(text); i++ {
		if text[i] != '/' || i > 0 && (inName(text[i-1]) || text[i-1] == '/') {
			continue
		}
		end := i
		for end < len(text) && (inName(text[end]) || text[end] == '/' || text[end] == '+' || text[end] == '@') {
			end++
		}
		if end-i > 1 && end-i < maxPath {
			out = append(out, text[i:end])
		}
		i = end
	}
	return out
}

// maxPath is the longest path that the kernel takes.
const maxPath = 4096

// inText gives the trees that a text names, or names a path into.
func (s *search) inText(text string) ([]*Tree, error) {
	found := s.named(text)
	var errs []error
	for _, p := range tokens(text) {
		trees, err := s.byPath(p)
		errs = append(errs, err)
		for _, t := range trees {
			if !slices.Contains(found, t) {
				found = append(found, t)
			}
		}
	}
	return found, errors.Join(errs...)
}
