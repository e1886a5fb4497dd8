package bed

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// File is a file that CNI keeps on the node.
type File struct {
	Kind    string // hostgc's name for what is in the file's directory
	Path    string // on the node
	Sandbox string // whose it is; empty: nobody's (a lock)
}

// cniDirs are the directories with CNI state, by hostgc's names.
var cniDirs = []struct{ kind, glob string }{
	{"multus-results", "/var/lib/cni/multus/results/*"},
	{"multus-delegates", "/var/lib/cni/multus/*"},
	{"cni-results", "/var/lib/cni/results/*"},
	{"host-local-ips", "/var/lib/cni/networks/*/*"},
}

// WaitFiles waits until there are so many files of a kind.
func (n *Node) WaitFiles(kind string, count int) {
	n.t.Helper()
	n.must(eventually(time.Minute, func() error {
		have := 0
		for _, f := range n.Files() {
			if f.Kind == kind {
				have++
			}
		}
		if have < count {
			return fmt.Errorf("there are %d", have)
		}
		return nil
	}), fmt.Sprintf("wait for %d files of %s", count, kind))
}

var sandboxID = regexp.MustCompile(`(?:^|-)([0-9a-f]{64})(?:-[^-]+)?$`)

// Files lists all CNI state on the node's disk, also while the node is off.
func (n *Node) Files() []File {
	n.t.Helper()
	var files []File
	for _, d := range cniDirs {
		paths, err := filepath.Glob(n.layout.disk(d.glob))
		n.must(err, "list the node's files")
		for _, p := range paths {
			info, err := os.Lstat(p)
			if err == nil && !info.IsDir() {
				files = append(files, File{d.kind, strings.TrimPrefix(p, n.layout.disk("")), owner(d.kind, p)})
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// owner tells whose a file is: by its content for a reserved IP, else by its
// name.
func owner(kind, path string) string {
	name := filepath.Base(path)
	if kind == "host-local-ips" {
		b, err := os.ReadFile(path)
		if err != nil || name == "lock" || strings.HasPrefix(name, "last_reserved_ip") {
			return ""
		}
		name, _, _ = strings.Cut(string(b), "\r\n")
	}
	if m := sandboxID.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// Known gives the IDs of all sandboxes that the runtime has a record of, by
// two of its interfaces: the CRI's list, and the containers in its database.
func (n *Node) Known() map[string]bool {
	n.t.Helper()
	known := map[string]bool{}
	for _, id := range n.SandboxIDs() {
		known[id] = true
	}
	ctr, err := n.tool("ctr")
	n.must(err, "find ctr")
	out, err := n.Exec(ctr, "-n", "k8s.io", "containers", "ls", "-q")
	n.must(err, "read the runtime's database")
	for id := range strings.FieldsSeq(out) {
		known[id] = true
	}
	return known
}

// Split parts files by whether the runtime knows their sandbox. What belongs
// to nobody counts as known.
func Split(files []File, known map[string]bool) (live, stale []File) {
	for _, f := range files {
		if f.Sandbox == "" || known[f.Sandbox] {
			live = append(live, f)
		} else {
			stale = append(stale, f)
		}
	}
	return live, stale
}

// WaitNoFile waits until a file is gone.
func (n *Node) WaitNoFile(path string) {
	n.t.Helper()
	n.must(eventually(time.Minute, func() error {
		if _, err := os.Lstat(n.layout.disk(path)); err == nil {
			return fmt.Errorf("it is there")
		}
		return nil
	}), "wait until "+path+" is gone")
}

// WaitNoFilesOf waits until no file of the sandboxes is on the node: CNI DEL
// found all that it needed.
func (n *Node) WaitNoFilesOf(sandboxes ...string) {
	n.t.Helper()
	n.must(eventually(time.Minute, func() error {
		for _, f := range n.Files() {
			if slices.Contains(sandboxes, f.Sandbox) {
				return fmt.Errorf("%s stays after its pod was deleted", f.Path)
			}
		}
		return nil
	}), "wait for CNI DEL to remove all files of the deleted pods")
}
