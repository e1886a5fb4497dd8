package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/sweep"
)

// ofTrees gives the worker of an agent for a recorded node of RKE2, and the
// node opened.
func ofTrees(t *testing.T, n recorded, more string) (*worker, *host) {
	t.Helper()
	n.write("hostgc.yaml", "settle: 0s\nkinds: {rke2-data: {mode: enforce, retain: 0}}\n"+more)
	a := &app{console: newConsole(io.Discard), log: slog.New(slog.DiscardHandler), flags: flags{
		config: n.dir + "/hostgc.yaml", root: n.dir + "/root", output: "table",
		crictlPods: n.dir + "/crictl-pods.json", crictlContainers: n.dir + "/crictl-containers.json", kubectlPods: n.dir + "/kubectl-pods.json",
		now: time.Now().Add(27 * time.Hour).UTC().Format(time.RFC3339)}}
	f := runFlags{changed: func(string) bool { return false }}
	s, err := a.settle(f)
	if err != nil {
		t.Fatal(err)
	}
	h, err := open(&s.flags, a.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return newWorker(a, f, s), h
}

func TestTreesOfTheAgent(t *testing.T) {
	const older, newer = "v1.32.9-rke2r1-9eba4171acc3", "v1.33.5-rke2r1-522501607126"
	never := "windows: [{days: [" + time.Now().UTC().Add(-48*time.Hour).Format("Mon") + "]}]\n"
	for name, c := range map[string]struct {
		config string
		left   []string // of the two that are garbage
	}{
		"nothing to keep":        {"", nil},
		"something else to keep": {"keep: [/var/lib/rancher/k3s, net1]\n", nil},
		"a directory to keep":    {"keep: [/var/lib/rancher/rke2/data/v1.33.*]\n", []string{newer}},
		"all of RKE2's to keep":  {"keep: [/var/lib/rancher/rke2]\n", []string{older, newer}},
		"no window is open":      {never, []string{older, newer}},
		"a window that is open":  {"windows: [{}]\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := unpack(t, "rke2-upgraded-twice")
			w, h := ofTrees(t, n, c.config)
			if err := w.trees(t.Context(), h, sweep.Options{Keep: w.keep(), Plan: hostgc.NewPlan(nil)}, sweep.Ignore{}); err != nil {
				t.Fatal(err)
			}
			want := append(slices.Clone(c.left), "v1.34.1-rke2r1-8522b4227a96", "v1.34.4-rke2r1-0d52262ea640")
			if diff := cmp.Diff(want, n.versions()); diff != "" {
				t.Errorf("directories that are left (-want +got):\n%s", diff)
			}
		})
	}
}

// What the operator keeps, a sweep by hand keeps too.
func TestSweepKeepsTrees(t *testing.T) {
	n := unpack(t, "rke2-upgraded-twice")
	args := n.args("sweep", "--settle", "0s")
	n.write("hostgc.yaml", "kinds: {rke2-data: {mode: enforce, retain: 0}}\nkeep: [/var/lib/rancher/rke2/data/v1.33.*]\n")
	doc, _ := n.hostgc(exitDone, args...)
	if got := n.versions(); len(got) != 3 || !strings.HasPrefix(got[0], "v1.33.5") {
		t.Errorf("left are %v", got)
	}
	for _, d := range doc.Decisions {
		if strings.Contains(d.Path, "v1.33.5") && !strings.Contains(d.Kept, "keep:") {
			t.Errorf("%s is kept because %q", d.Path, d.Kept)
		}
	}
}

// A limit holds for data directories as for files.
func TestSweepLimitsTrees(t *testing.T) {
	n := unpack(t, "rke2-upgraded-twice")
	doc, _ := n.hostgc(exitDone, n.args("sweep", "--settle", "0s", "--max", "1")...)
	if sum := total(doc); sum.Garbage != 2 || sum.Removed != 1 || len(n.versions()) != 3 {
		t.Errorf("%+v, left are %v", sum, n.versions())
	}
}

// RKE2's directories are only reported until that is switched on.
func TestTreesAreReportedByDefault(t *testing.T) {
	n := unpack(t, "rke2-upgraded-twice")
	args := n.args("sweep", "--settle", "0s")
	n.write("hostgc.yaml", "kinds: {rke2-data: {retain: 0}}")
	doc, _ := n.hostgc(exitDone, args...)
	if sum := total(doc); sum.Garbage != 2 || sum.Removed != 0 || len(n.versions()) != 4 {
		t.Errorf("%+v, left are %v", sum, n.versions())
	}
	for _, d := range doc.Decisions {
		if d.Verdict == "garbage" && d.Kept != sweep.OnlyReported {
			t.Errorf("%s is left because %q", d.Path, d.Kept)
		}
	}
}

// versions lists the node's versioned directories.
func (n recorded) versions() []string {
	n.t.Helper()
	entries, err := os.ReadDir(n.dir + "/root/var/lib/rancher/rke2/data")
	if err != nil {
		n.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A directory that is left is not new to the next cycle.
func TestRemembering(t *testing.T) {
	left := hostgc.NewCondemned()
	r := remembering{sweep.Ignore{}, left}
	for name, c := range map[string]struct {
		verdict hostgc.Verdict
		removed bool
	}{"left": {hostgc.Garbage, false}, "removed": {hostgc.Garbage, true}, "live": {hostgc.Live, false}} {
		o := hostgc.Object{Dir: "/d", Name: name}
		if err := r.Decide(hostgc.Decision{Object: o, Verdict: c.verdict}, sweep.Outcome{Removed: c.removed}); err != nil {
			t.Fatal(err)
		}
		if got := left.Has(o); got != (name == "left") {
			t.Errorf("%s is remembered: %v", name, got)
		}
	}
}

// A wait that is longer than the agent may be silent does not look like death.
func TestWaitAlive(t *testing.T) {
	var log bytes.Buffer
	a := &app{console: newConsole(io.Discard), log: slog.New(slog.NewTextHandler(&log, nil))}
	w := newWorker(a, runFlags{}, &settings{})
	now := time.Unix(0, 0)
	w.health.Now = func() time.Time { now = now.Add(time.Hour); return now }
	if err := w.waitAlive(t.Context(), time.Nanosecond); err != nil || now.Equal(time.Unix(0, 0)) {
		t.Errorf("%v: no sign of life in a wait", err)
	}
}

// check warns of the versions of RKE2 whose own cleaner breaks pods.
func TestCheckWarnsOfRKE2sCleaner(t *testing.T) {
	n := unpack(t, "rke2-upgraded-twice")
	out, _ := cli(t, exitDone, append(n.args("check"), "-o", "table")...)
	if flat := strings.Join(strings.Fields(out), " "); !strings.Contains(flat, "4 versions, the running one is v1.34.4-rke2r1") || strings.Contains(out, "own cleaner") {
		t.Errorf("check says:\n%s", out)
	}
	broken := strings.NewReplacer("v1.34.4-rke2r1-0d52262ea640", "v1.34.8-rke2r1-0d52262ea640")
	n.renameVersion(broken)
	out, _ = cli(t, exitDone, append(n.args("check"), "-o", "table")...)
	if flat := strings.Join(strings.Fields(out), " "); !strings.Contains(flat, "RKE2's own cleaner") || !strings.Contains(flat, "Upgrade to v1.34.10") {
		t.Errorf("check says:\n%s", out)
	}
}

// renameVersion makes a recorded node one of another version: directory, link
// and the links and texts of /proc.
func (n recorded) renameVersion(names *strings.Replacer) {
	n.t.Helper()
	err := filepath.WalkDir(n.dir+"/root", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type() == fs.ModeSymlink:
			to, err := os.Readlink(p)
			if err != nil || names.Replace(to) == to {
				return err
			}
			return errors.Join(os.Remove(p), os.Symlink(names.Replace(to), p))
		case e.Type().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil || names.Replace(string(b)) == string(b) {
				return err
			}
			return os.WriteFile(p, []byte(names.Replace(string(b))), 0o600)
		}
		return nil
	})
	data := n.dir + "/root/var/lib/rancher/rke2/data/"
	const old = "v1.34.4-rke2r1-0d52262ea640"
	if err := errors.Join(err, os.Rename(data+old, data+names.Replace(old))); err != nil {
		n.t.Fatal(err)
	}
}
