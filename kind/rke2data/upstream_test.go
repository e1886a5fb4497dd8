package rke2data

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
)

// The two rules that RKE2 used in turn, as models: not its code, but what it
// looks at and how it decides. They show what each would have removed on the
// nodes in testdata.

// candidates are what upstream thinks that it may remove: what begins like a
// version, except the one that the link leads to.
func candidates(n *datadirtest.Node) []string {
	current, _ := fs.ReadLink(n.Root, n.DataDir[1:]+"/bin")
	entries, _ := fs.ReadDir(n.Root, path.Join(n.DataDir, "data")[1:])
	var out []string
	for _, e := range entries {
		if regexp.MustCompile(`^v[0-9]`).MatchString(e.Name()) && !strings.Contains(current, e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}

// executablesOnly is the rule of rke2#9977: what the executable of a running
// process is in, by its path as the kernel shows it.
func executablesOnly(n *datadirtest.Node) []string {
	if n.Proc == nil {
		return nil
	}
	pids, _ := fs.ReadDir(n.Proc, ".")
	return slices.DeleteFunc(candidates(n), func(name string) bool {
		prefix := path.Join(n.DataDir, "data", name)
		return slices.ContainsFunc(pids, func(pid fs.DirEntry) bool {
			exe, err := fs.ReadLink(n.Proc, pid.Name()+"/exe")
			return err == nil && strings.HasPrefix(exe, prefix)
		})
	})
}

// shimPathsOnly is the rule of rke2#10658: what a shim-binary-path of the CRI's
// containers names. It keeps all if they cannot be listed, and passes over a
// file that cannot be read.
func shimPathsOnly(n *datadirtest.Node) []string {
	const tasks = "run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io"
	ids, err := fs.ReadDir(n.Root, tasks)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(candidates(n), func(name string) bool {
		prefix := path.Join(n.DataDir, "data", name)
		return slices.ContainsFunc(ids, func(id fs.DirEntry) bool {
			shim, err := fs.ReadFile(n.Root, path.Join(tasks, id.Name(), "shim-binary-path"))
			return err == nil && strings.HasPrefix(string(shim), prefix)
		})
	})
}

var update = flag.Bool("update", false, "write the table into docs/data-dirs.md")

const (
	document = "../../docs/data-dirs.md"
	begin    = "<!-- what each rule would have broken: written by go test ./kind/rke2data -update -->\n"
	end      = "<!-- end -->\n"
)

// TestUpstream makes the table of the documentation, and holds it to that.
func TestUpstream(t *testing.T) {
	table := tableOfRules(t)
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", document)
	}
	if *update {
		if err := os.WriteFile(document, []byte(head+begin+table+end+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table {
		t.Errorf("the table in %s is not the one that the models give; run the test with -update. It should be:\n%s", document, table)
	}
}

func tableOfRules(t *testing.T) string {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| node | what it shows | executables only | shim-binary-path only |\n|---|---|---|---|\n")
	broken := [3]int{}
	for _, file := range files {
		n := datadirtest.Load(t, Product(), file)
		if len(n.Needed) == 0 {
			continue
		}
		v, err := n.Look(t.Context(), Product())
		if err != nil {
			t.Fatal(err)
		}
		var ours []string
		for _, d := range v.Decisions {
			if d.Verdict == hostgc.Garbage {
				ours = append(ours, d.Object.Name)
			}
		}
		cells := []string{breaks(n, executablesOnly(n)), breaks(n, shimPathsOnly(n)), breaks(n, ours)}
		for i := range broken {
			if cells[i] != "" {
				broken[i]++
			}
		}
		if cells[0] == "" && cells[1] == "" && cells[2] == "" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		story, _, _ := strings.Cut(strings.ReplaceAll(n.Story, "\n", " "), ". ")
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, strings.TrimSuffix(story, "."), cells[0], cells[1])
		if cells[2] != "" {
			t.Errorf("hostgc removes something in use on %s", name)
		}
	}
	if broken[0] == 0 || broken[1] == 0 {
		t.Errorf("the models break nothing: %v", broken)
	}
	fmt.Fprintf(&b, "\nOf these nodes, executables only removes something that is in use on %d, shim-binary-path only on %d, hostgc on %d.\n", broken[0], broken[1], broken[2])
	return b.String()
}

// breaks gives what a rule would remove though something needs it.
func breaks(n *datadirtest.Node, removed []string) string {
	var out []string
	for _, name := range removed {
		if n.Needed[name] {
			v := Product().Version(name)
			out = append(out, "removes "+v.String())
		}
	}
	return strings.Join(out, ", ")
}

// TestModelsAreThoseOfTheReports holds the model to the public report
// (rke2#10613), and the other to the fact that it was replaced by.
func TestModelsAreThoseOfTheReports(t *testing.T) {
	ten := datadirtest.Load(t, Product(), "testdata/record-alone.txtar")
	if got := breaks(ten, executablesOnly(ten)); got != "removes v1.31.14-rke2r1" {
		t.Errorf("executables only: %q", got)
	}
	if got := breaks(ten, shimPathsOnly(ten)); got != "" {
		t.Errorf("shim-binary-path only: %q", got)
	}
	lost := datadirtest.Load(t, Product(), "testdata/lost-bundle.txtar")
	if got := breaks(lost, shimPathsOnly(lost)); got != "removes v1.31.14-rke2r1" {
		t.Errorf("shim-binary-path only: %q", got)
	}
	reboot := datadirtest.Load(t, Product(), "testdata/after-reboot.txtar")
	if got := shimPathsOnly(reboot); got != nil {
		t.Errorf("after a reboot shim-binary-path only removes %q", got)
	}
	foreign := datadirtest.Load(t, Product(), "testdata/foreign-names.txtar")
	if got := executablesOnly(foreign); !slices.Contains(got, "v1.31.14-rke2r1-d214997293ba.bak") {
		t.Errorf("a backup is not removed: %q", got)
	}
	back := datadirtest.Load(t, Product(), "testdata/rolled-back.txtar")
	if got := executablesOnly(back); !slices.Contains(got, "v1.34.4-rke2r1-0d52262ea640") {
		t.Errorf("the newer version is not removed after a rollback: %q", got)
	}
}
