package datadir

import (
	"path"
	"time"

	"github.com/hostgc/hostgc"
)

// Product is what differs between RKE2 and K3s.
type Product struct {
	Kind       string // "rke2-data"
	Doc        string // one sentence for people
	Names      string // the shape of the names that Match allows, for people
	DefaultDir string // its data directory where nothing is configured
	Binary     string // the supervisor: "rke2"

	// Match reports whether a name is one that may ever be removed.
	Match func(name string) bool

	// Version gives what the name tells of the version; the zero Version where
	// it tells nothing.
	Version func(name string) Version

	// Partial reports whether a name is that of an unpacking that was broken
	// off: never complete, it is no version that could be retained. nil: none is.
	Partial func(name string) bool

	// Current are the links that lead to what is to run, below the data
	// directory; the first leads to what runs. Others tell what ran before.
	Current []string

	// Relinks: each start of the supervisor sets the first link anew. Where it
	// does not, the link tells what was unpacked last, not what runs.
	Relinks bool

	// First and Lock are what the remover is to know: see safefs.Trees.
	First []string
	Lock  string
}

// SpaceTree is the space of versioned directories, by their path on the host.
const SpaceTree hostgc.Space = "tree"

// The defaults of the rule.
const (
	// DefaultAge is longer than any unpacking: over half an hour was reported
	// (rke2#536), and one that is under way looks just like garbage.
	DefaultAge = 24 * time.Hour
	// DefaultRetain is how many older versions stay beside the current one.
	DefaultRetain = 1
	// DefaultSettle is the time between the two looks.
	DefaultSettle = time.Minute
)

// DataOf gives the directory in which a data directory has its versions.
func DataOf(dataDir string) string { return path.Join(dataDir, "data") }

// KindOf makes the kind of one data directory. Its objects are directories.
func (p Product) KindOf(dataDir string) hostgc.Kind {
	dir := DataOf(dataDir)
	return hostgc.Kind{
		Name: p.Kind, Doc: p.Doc, Names: p.Names, Dirs: []string{dir},
		Mode: hostgc.ModeReport, Age: DefaultAge,
		Match: p.Match,
		Owner: func(name string) (hostgc.Ref, bool) { return refTo(dir, name), p.Match(name) },
		// What a directory holds says nothing: what counts is who refers to it.
		Inspect: func(*hostgc.Object, []byte) {},
		Cause:   func(hostgc.Object, []byte, func(string) bool) string { return "" },
	}
}

func refTo(dir, name string) hostgc.Ref {
	return hostgc.Ref{Space: SpaceTree, Key: dir + "/" + name}
}

// partial reports whether a tree was never complete.
func (p Product) partial(t *Tree) bool { return p.Partial != nil && p.Partial(t.Name) }
