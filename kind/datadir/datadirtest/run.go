package datadirtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostgc/hostgc/kind/datadir"
)

// Options are those by which the node is looked at.
func (n *Node) Options() datadir.Options {
	o := datadir.Options{Root: n.Root, Proc: n.Proc, Retain: n.Retain, Now: func() time.Time { return Now }}
	if n.Retain == 0 {
		o.Retain = datadir.RetainNone
	}
	return o
}

// Look judges the node.
func (n *Node) Look(ctx context.Context, p datadir.Product) (datadir.View, error) {
	return datadir.Look(ctx, p, n.DataDir, n.Options())
}

// Run judges every node in a directory, and checks that each directory of each
// node becomes what is wanted, and that nothing that is needed is garbage.
func Run(t *testing.T, p datadir.Product, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no nodes in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			n := Load(t, p, file)
			v, err := n.Look(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			n.Check(t, v)
		})
	}
}

// Load makes the node of a file.
func Load(t *testing.T, p datadir.Product, file string) *Node {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Parse(data, p.DefaultDir)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if n.Story == "" || len(n.Wants) == 0 {
		t.Fatalf("%s tells no story, or wants nothing", file)
	}
	return n
}

// Check compares a view with what is wanted.
func (n *Node) Check(t *testing.T, v datadir.View) {
	t.Helper()
	wanted := map[string]bool{}
	for _, w := range n.Wants {
		wanted[w.Name] = true
		d, ok := v.Decision(w.Name)
		if !ok {
			t.Errorf("%s is not there", w.Name)
			continue
		}
		lines, err := v.Explain(d.Object.Path())
		if err != nil {
			t.Fatal(err)
		}
		why := strings.Join(lines, "\n")
		if string(d.Verdict) != w.Verdict || !strings.Contains(why, w.Reason) {
			t.Errorf("%s is %s, want %s, because of\n%s\nwhich is to say %q", w.Name, d.Verdict, w.Verdict, why, w.Reason)
		}
	}
	for _, d := range v.Decisions {
		if !wanted[d.Object.Name] {
			t.Errorf("%s is %s, and the node says nothing of it", d.Object.Name, d.Verdict)
		}
		if n.Needed[d.Object.Name] && d.Verdict == "garbage" {
			t.Errorf("%s is needed, and is garbage", d.Object.Name)
		}
	}
}
