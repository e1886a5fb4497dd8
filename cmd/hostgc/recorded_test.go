package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/report"
)

// recorded is a copy of a recorded node.
type recorded struct {
	t   *testing.T
	dir string
}

var nodes = []string{"healthy", "failed-del", "torn-delegates", "after-power-cut",
	"after-power-cut-settled", "runtime-wiped", "killed-all", "rke2-upgraded-twice"}

func unpack(t *testing.T, node string) recorded {
	t.Helper()
	f, err := os.Open(filepath.Join("../../testdata/nodes", node+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return recorded{t, filepath.Join(dir, node)}
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := unpackOne(filepath.Join(dir, h.Name), h, r); err != nil {
			t.Fatal(err)
		}
	}
}

func unpackOne(path string, h *tar.Header, r io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(path, 0o755)
	case tar.TypeSymlink:
		return os.Symlink(h.Linkname, path)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, b, 0o600), os.Chtimes(path, h.ModTime, h.ModTime))
}

// args are the flags for a node judged from files, long after it was recorded
// and unpacked here. RKE2's free directories were recorded as if none was to be
// retained.
func (n recorded) args(command string, more ...string) []string {
	n.write("hostgc.yaml", "kinds: {rke2-data: {mode: enforce, retain: 0}}")
	return append([]string{command, "--root", n.dir + "/root", "-o", "json", "--log-level", "error",
		"--crictl-pods", n.dir + "/crictl-pods.json", "--crictl-containers", n.dir + "/crictl-containers.json",
		"--kubectl-pods", n.dir + "/kubectl-pods.json", "--config", n.dir + "/hostgc.yaml",
		"--now", time.Now().Add(27 * time.Hour).UTC().Format(time.RFC3339)}, more...)
}

type document struct {
	Node      string
	Summary   []report.Summary
	Decisions []report.Decision
	Witnesses []report.Witness
}

func (n recorded) hostgc(wantCode int, args ...string) (doc document, stderr string) {
	n.t.Helper()
	var out, errs bytes.Buffer
	if code := run(n.t.Context(), args, &out, &errs); code != wantCode {
		n.t.Fatalf("exit code %d, want %d\n%s%s", code, wantCode, errs.String(), out.String())
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		n.t.Fatalf("the output is no JSON document: %v\n%s", err, out.String())
	}
	return doc, errs.String()
}

// expected gives the right verdict of each file of the kinds that exist.
func (n recorded) expected() map[string]string {
	b, err := os.ReadFile(n.dir + "/expected.tsv")
	if err != nil {
		n.t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if slices.Contains(kindNames(), f[1]) {
			want[f[2]] = f[0]
		}
	}
	return want
}

// withoutGarbage gives the files that are to be left: none that is garbage, and
// none in a directory that is.
func (n recorded) withoutGarbage() []string {
	want := n.expected()
	return slices.DeleteFunc(n.files(), func(f string) bool {
		for ; f != "/"; f = filepath.Dir(f) {
			if want[f] == "garbage" {
				return true
			}
		}
		return false
	})
}

func (n recorded) files() []string {
	var files []string
	err := filepath.WalkDir(n.dir+"/root/var", func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, strings.TrimPrefix(p, n.dir+"/root"))
		}
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return files
}

func verdicts(doc document) map[string]string {
	got := map[string]string{}
	for _, d := range doc.Decisions {
		got[d.Path] = string(d.Verdict)
	}
	return got
}

func TestScanOfRecordedNodes(t *testing.T) {
	for _, name := range nodes {
		t.Run(name, func(t *testing.T) {
			n := unpack(t, name)
			before := n.files()
			doc, _ := n.hostgc(exitDone, n.args("scan")...)
			if diff := cmp.Diff(n.expected(), verdicts(doc)); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, n.files()); diff != "" {
				t.Errorf("scan changed files:\n%s", diff)
			}
		})
	}
}

// A sweep removes exactly the garbage, and a second one finds nothing.
func TestSweepOfRecordedNodes(t *testing.T) {
	for _, name := range nodes {
		t.Run(name, func(t *testing.T) {
			n := unpack(t, name)
			want := n.withoutGarbage()
			doc, _ := n.hostgc(exitDone, n.args("sweep", "--settle", "0s")...)
			if diff := cmp.Diff(want, n.files()); diff != "" {
				t.Errorf("files that are left (-want +got):\n%s", diff)
			}
			garbage := 0
			for _, v := range n.expected() {
				if v == "garbage" {
					garbage++
				}
			}
			if got := total(doc).Removed; got != garbage {
				t.Errorf("%d removed, want %d", got, garbage)
			}
			doc, _ = n.hostgc(exitDone, n.args("sweep", "--settle", "0s")...)
			if sum := total(doc); sum.Garbage != 0 || sum.Removed != 0 {
				t.Errorf("a second sweep found %d and removed %d", sum.Garbage, sum.Removed)
			}
		})
	}
}

func total(doc document) report.Summary {
	var sum report.Summary
	for _, s := range doc.Summary {
		sum.Garbage += s.Garbage
		sum.Removed += s.Removed
	}
	return sum
}

// What a witness says wrongly, or does not say, removes nothing and is said.
func TestLyingLists(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, n recorded)
		says   string
	}{
		{"an empty list", func(t *testing.T, n recorded) { n.write("crictl-pods.json", `{"items":[]}`) }, "lists no sandbox at all"},
		{"garbage", func(t *testing.T, n recorded) { n.write("crictl-pods.json", "\x00\x01garbage") }, "crictl-pods.json"},
		{"an empty file", func(t *testing.T, n recorded) { n.write("crictl-pods.json", "") }, "crictl-pods.json"},
		{"no file", func(t *testing.T, n recorded) { n.remove("crictl-pods.json") }, "no such file"},
		{"no list of containers", func(t *testing.T, n recorded) { n.remove("crictl-containers.json") }, "no such file"},
		{"the list of another node", func(t *testing.T, n recorded) {
			other := unpack(t, "rke2-upgraded-twice")
			n.copy(other, "crictl-pods.json")
			n.copy(other, "crictl-containers.json")
			n.remove("root/proc") // or the processes would keep the running sandboxes
		}, "positive control failed"},
		{"kubectl's list in place of crictl's", func(t *testing.T, n recorded) {
			b, _ := os.ReadFile(n.dir + "/kubectl-pods.json")
			n.write("crictl-pods.json", string(b))
		}, "kubectl"},
	} {
		for _, command := range []string{"scan", "sweep"} {
			t.Run(c.name+"/"+command, func(t *testing.T) {
				n := unpack(t, "killed-all")
				c.change(t, n)
				before := n.files()
				args := n.args(command)
				if command == "sweep" {
					args = append(args, "--settle", "0s")
				}
				doc, _ := n.hostgc(exitBlind, args...)
				if diff := cmp.Diff(before, n.files()); diff != "" {
					t.Errorf("files were removed:\n%s", diff)
				}
				if sum := total(doc); sum.Garbage != 0 {
					t.Errorf("%d called garbage", sum.Garbage)
				}
				if !reasons(doc, c.says) {
					t.Errorf("no decision says %q", c.says)
				}
			})
		}
	}
}

func reasons(doc document, text string) bool {
	return slices.ContainsFunc(doc.Decisions, func(d report.Decision) bool {
		return slices.ContainsFunc(d.Because, func(r hostgc.Reason) bool { return strings.Contains(r.Text, text) })
	})
}

func (n recorded) write(name, content string) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, name), []byte(content), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

func (n recorded) remove(name string) {
	n.t.Helper()
	if err := os.RemoveAll(filepath.Join(n.dir, name)); err != nil {
		n.t.Fatal(err)
	}
}

func (n recorded) copy(from recorded, name string) {
	n.t.Helper()
	b, err := os.ReadFile(filepath.Join(from.dir, name))
	if err != nil {
		n.t.Fatal(err)
	}
	n.write(name, string(b))
}

// The rule is sandbox IDs: a stale entry that has the name and the UID of a
// running pod goes, and an entry of a sandbox that is listed NOTREADY stays.
func TestIdentityIsTheSandbox(t *testing.T) {
	n := unpack(t, "runtime-wiped")
	doc, _ := n.hostgc(exitDone, n.args("scan")...)
	live := map[string]bool{}
	for _, d := range doc.Decisions {
		if d.Verdict == "live" && d.Owner.PodUID != "" {
			live[d.Owner.PodUID] = true
		}
	}
	b, err := os.ReadFile(n.dir + "/kubectl-pods.json")
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for _, d := range doc.Decisions {
		if d.Verdict == "garbage" && d.Owner.PodUID != "" && strings.Contains(string(b), d.Owner.PodUID) {
			same++
		}
	}
	if same == 0 {
		t.Error("no garbage has the UID of a running pod: the recording does not test this")
	}
	n = unpack(t, "after-power-cut")
	doc, _ = n.hostgc(exitDone, n.args("scan")...)
	stopped := 0
	for _, d := range doc.Decisions {
		if strings.Contains(d.Because[0].Text, "NOTREADY") && d.Verdict == "live" {
			stopped++
		}
	}
	if stopped == 0 {
		t.Error("no entry of a NOTREADY sandbox was kept for being listed")
	}
}

// A recording replays to the very same verdicts.
func TestObserveAndReplay(t *testing.T) {
	n := unpack(t, "killed-all")
	doc, _ := n.hostgc(exitDone, n.args("scan")...)
	file := filepath.Join(t.TempDir(), "node.hostgc")
	args := slices.DeleteFunc(n.args("observe"), func(a string) bool { return a == "-o" || a == "json" })
	var out, errs bytes.Buffer
	if code := run(t.Context(), append(args, "-o", file), &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	again, _ := n.hostgc(exitDone, "scan", "-o", "json", "--from", file)
	if diff := cmp.Diff(verdicts(doc), verdicts(again)); diff != "" {
		t.Errorf("verdicts of the replay (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(causes(doc), causes(again)); diff != "" {
		t.Errorf("causes of the replay (-want +got):\n%s", diff)
	}
}

func causes(doc document) map[string]int {
	sum := map[string]int{}
	for _, s := range doc.Summary {
		for c, n := range s.Causes {
			sum[c] += n
		}
	}
	return maps.Clone(sum)
}

// yamlDiff compares a YAML document with one read as JSON.
func yamlDiff(in string, want document) string {
	var got document
	if err := yaml.Unmarshal([]byte(in), &got); err != nil {
		return err.Error()
	}
	return cmp.Diff(verdicts(want), verdicts(got))
}
