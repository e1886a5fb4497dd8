package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostgc/hostgc/config"
)

// cli runs a command line and gives what it wrote.
func cli(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, &out, &errs); code != wantCode {
		t.Fatalf("hostgc %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, wantCode, errs.String(), out.String())
	}
	return out.String(), errs.String()
}

// Wrong usage is exit code 2, and says what is wrong and what is right.
func TestUsage(t *testing.T) {
	n := unpack(t, "healthy")
	file := filepath.Join(t.TempDir(), "hostgc.yaml")
	if err := os.WriteFile(file, []byte("kinds: {multus-result: {mode: report}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	offline := n.args("scan")[1:]
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"scan", "--no-such-flag"}, "unknown flag: --no-such-flag"},
		{[]string{"clean"}, "clean"},
		{[]string{"scan", "now"}, `takes no argument "now"`},
		{[]string{"explain"}, "needs the path"},
		{[]string{"scan", "-o", "xml"}, `--output "xml": use table, json, yaml or jsonl`},
		{[]string{"scan", "--min-age", "10m"}, "less than 1h0m0s"},
		{[]string{"scan", "--kinds", "pods"}, `no such kind "pods"; there are cni-results`},
		{[]string{"scan", "--dir", "pods=/x/y"}, "no such kind"},
		{[]string{"scan", "--dir", "multus-delegates=/etc"}, "/etc"},
		{[]string{"scan", "--now", "2026-11-30T20:08:25Z"}, "--now goes with --crictl-pods"},
		{append([]string{"scan"}, append(offline, "--now", "yesterday")...), "is not a time"},
		{append([]string{"scan"}, append(offline, "--cri", "unix:///run/x.sock")...), "use one of them"},
		{append([]string{"run"}, offline...), "run is for a running node"},
		{[]string{"scan", "--config", "/no/such/file"}, "/no/such/file"},
		{[]string{"scan", "--config", file}, "kinds.multus-result: no such kind"},
		{[]string{"scan", "--root", "/no/such/dir"}, "--root: "},
		{[]string{"scan", "--proc", t.TempDir()}, "holds no process"},
		{[]string{"scan", "--cri", "http://localhost"}, "--cri"},
		{[]string{"scan", "--log-level", "loud"}, "--log-level"},
		{[]string{"scan", "--log-format", "xml"}, "--log-format"},
		{[]string{"scan", "--from", "/no/such/file"}, "--from"},
		{[]string{"observe"}, "observe needs -o FILE"},
		{append([]string{"sweep", "--settle", "-1s"}, offline...), "must not be negative"},
		{append([]string{"sweep", "--max", "-1"}, offline...), "must not be negative"},
		{[]string{"run", "--root", n.dir + "/root", "--interval", "1s"}, "at least the settle time"},
		{append([]string{"explain"}, append(offline, "/etc/passwd")...), "not in a directory that hostgc knows (/var/lib/cni/results"},
		{append([]string{"explain"}, append(offline, "/var/lib/cni/multus/nothing")...), "does not exist"},
	} {
		_, stderr := cli(t, exitUsage, c.args...)
		if !strings.Contains(stderr, c.says) {
			t.Errorf("hostgc %s says %q, and not %q", strings.Join(c.args, " "), stderr, c.says)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}} {
		out, _ := cli(t, exitDone, args...)
		for _, want := range []string{"scan", "explain", "sweep", "run", "observe", "kinds", "check", "version", "completion", "Exit codes"} {
			if !strings.Contains(out, want) {
				t.Errorf("help does not say %q", want)
			}
		}
	}
	if out, _ := cli(t, exitDone, "version"); !strings.HasPrefix(out, "hostgc development") {
		t.Errorf("version is %q", out)
	}
	if out, _ := cli(t, exitDone, "completion", "bash"); !strings.Contains(out, "hostgc") {
		t.Error("no completion")
	}
}

// The table fits a terminal of 80 columns, but for paths, which are given
// whole to be copied.
func TestTableFitsATerminal(t *testing.T) {
	for _, command := range [][]string{{"scan"}, {"sweep", "--dry-run", "--settle", "0s"}, {"check"}} {
		n := unpack(t, "killed-all")
		out, _ := cli(t, exitDone, append(n.args(command[0], command[1:]...), "-o", "table")...)
		for line := range strings.Lines(out) {
			if line = strings.TrimRight(line, "\n"); len([]rune(line)) > 80 && !strings.Contains(line, "/") {
				t.Errorf("%s: %d columns: %q", command[0], len([]rune(line)), line)
			}
		}
	}
}

func TestScanTable(t *testing.T) {
	n := unpack(t, "killed-all")
	out, _ := cli(t, exitDone, append(n.args("scan"), "-o", "table", "-v")...)
	for _, want := range []string{
		"multus-results     enforce      10      0       0       24",
		"total                           25      0       0       55",
		"runtime-forgot", "delegate-del-failed", "Cure: set retryDeleteOnError: true",
		"hostgc sweep", "hostgc explain",
		"garbage  /var/lib/cni/multus/",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the table does not say %q:\n%s", want, out)
		}
	}
}

func TestExplain(t *testing.T) {
	n := unpack(t, "killed-all")
	doc, _ := n.hostgc(exitDone, n.args("scan")...)
	for _, d := range doc.Decisions {
		if d.Kind != "multus-delegates" {
			continue
		}
		// A path below --root, as a shell completes it, is as good.
		story, _ := cli(t, exitDone, append(n.args("explain"), "-o", "table", n.dir+"/root"+d.Path)...)
		want := []string{d.Path, strings.ToUpper(string(d.Verdict)), "pod default/", "crictl", "proc", "runtime"}
		if d.Verdict == "garbage" && d.Cause != "" {
			want = append(want, d.Cause, "no rule kept it", "hostgc sweep removes it")
		}
		for _, w := range want {
			if !strings.Contains(story, w) {
				t.Errorf("the story of %s does not say %q:\n%s", d.Path, w, story)
			}
		}
		asJSON, _ := cli(t, exitDone, append(n.args("explain"), d.Path)...)
		var x struct {
			Verdict string
			Rules   []struct{ Keeps bool }
		}
		if err := json.Unmarshal([]byte(asJSON), &x); err != nil || x.Verdict != string(d.Verdict) || len(x.Rules) == 0 {
			t.Errorf("as JSON: %v %+v", err, x)
		}
	}
}

// Every format holds the same decisions.
func TestFormats(t *testing.T) {
	n := unpack(t, "killed-all")
	args := n.args("scan")
	doc, _ := n.hostgc(exitDone, args...)
	lines, _ := cli(t, exitDone, append(args, "-o", "jsonl")...)
	if got := strings.Count(lines, `"decision":`); got != len(doc.Decisions) {
		t.Errorf("%d decisions as lines, want %d", got, len(doc.Decisions))
	}
	if !strings.Contains(lines, `"report":`) || !json.Valid([]byte(strings.Split(lines, "\n")[0])) {
		t.Error("the lines are no JSON, or end without the report")
	}
	asYAML, _ := cli(t, exitDone, append(args, "-o", "yaml")...)
	if diff := yamlDiff(asYAML, doc); diff != "" {
		t.Error(diff)
	}
}

// A kind that is off is not looked at, one that is only reported is kept.
func TestModes(t *testing.T) {
	n := unpack(t, "killed-all")
	file := filepath.Join(t.TempDir(), "hostgc.yaml")
	if err := os.WriteFile(file, []byte("kinds: {multus-results: {mode: report}, cni-results: {mode: off}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := n.files()
	doc, _ := n.hostgc(exitDone, n.args("sweep", "--settle", "0s", "--config", file)...)
	removed := map[string]int{}
	for _, s := range doc.Summary {
		removed[s.Kind] = s.Removed
	}
	if _, seen := removed["cni-results"]; seen || removed["multus-results"] != 0 || removed["multus-delegates"] != 11 {
		t.Errorf("removed %v", removed)
	}
	if got := len(before) - len(n.files()); got != 11 {
		t.Errorf("%d files went, want 11", got)
	}
}

func TestMax(t *testing.T) {
	n := unpack(t, "killed-all")
	doc, _ := n.hostgc(exitDone, n.args("sweep", "--settle", "0s", "--max", "3")...)
	for _, s := range doc.Summary {
		if want := min(s.Garbage, 3); s.Removed != want {
			t.Errorf("%s: %d removed, want %d", s.Kind, s.Removed, want)
		}
	}
}

// A cloned node image, a root one level up, a disk without CNI state: nothing
// is found, nothing is removed, and it is no error.
func TestWrongRoot(t *testing.T) {
	n := unpack(t, "killed-all")
	args := n.args("sweep", "--settle", "0s")
	for i := range args {
		if args[i] == n.dir+"/root" {
			args[i] = n.dir
		}
	}
	before := n.files()
	doc, _ := n.hostgc(exitDone, args...)
	if sum := total(doc); sum.Garbage != 0 || len(n.files()) != len(before) {
		t.Errorf("%+v", sum)
	}
}

func TestConfigWinsAndFlagsWinOverIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostgc.yaml")
	if err := os.WriteFile(file, []byte("node: a\ncri: [/run/a.sock]\nkubeconfig: /a\nminAge: 3h\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := flags{config: file}
	c, err := f.load(kindNames())
	if err != nil || c.Node != "a" || c.MinAge != config.Duration(3*time.Hour) {
		t.Errorf("%v %+v", err, c)
	}
	f = flags{config: file, node: "b", cri: []string{"/run/b.sock"}, kubeconfig: "/b", minAge: 4 * time.Hour}
	c, err = f.load(kindNames())
	if err != nil || c.Node != "b" || c.CRI[0] != "/run/b.sock" || c.Kubeconfig != "/b" || c.MinAge != config.Duration(4*time.Hour) {
		t.Errorf("%v %+v", err, c)
	}
}

func TestStoppedBySignal(t *testing.T) {
	n := unpack(t, "killed-all")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	if code := run(ctx, n.args("sweep"), &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "stopped by a signal") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}
