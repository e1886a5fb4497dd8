package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/observe"
	"github.com/hostgc/hostgc/sweep"
)

var at = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func decision(name string, v hostgc.Verdict, rule, text string) hostgc.Decision {
	return hostgc.Decision{Verdict: v, Because: []hostgc.Reason{{Rule: rule, Text: text, At: at}},
		Object: hostgc.Object{Kind: "a", Dir: "/d", Name: name, ID: hostgc.Identity{Alloc: 4096}}}
}

func tally(t *testing.T) *Tally {
	t.Helper()
	y := NewTally([]hostgc.Kind{{Name: "a"}, {Name: "b"}}, map[string]hostgc.Mode{"a": hostgc.ModeEnforce, "b": hostgc.ModeReport})
	if err := y.Hear(hostgc.Hearing{Testimonies: []hostgc.Testimony{
		{Witness: "cri", Says: "1 sandbox", At: at}, {Witness: "proc", Err: "no permission", At: at}}}); err != nil {
		t.Fatal(err)
	}
	garbage := decision("gone", hostgc.Garbage, hostgc.RuleAbsent, "absent")
	garbage.Object.Cause = hostgc.CausePowerLoss
	for _, c := range []struct {
		d    hostgc.Decision
		done sweep.Outcome
	}{
		{decision("up", hostgc.Live, hostgc.RuleClaimed, "listed"), sweep.Outcome{}},
		{decision("new", hostgc.Young, hostgc.RuleYoung, "a minute old"), sweep.Outcome{}},
		{decision("odd", hostgc.Unknown, hostgc.RuleFlawed, "a symlink"), sweep.Outcome{}},
		{decision("dark", hostgc.Unknown, hostgc.RuleUnheard, "witness proc is mute"), sweep.Outcome{}},
		{garbage, sweep.Outcome{Removed: true}},
		{garbage, sweep.Outcome{Kept: "the limit is reached"}},
		{garbage, sweep.Outcome{Err: errors.New("read-only file system")}},
	} {
		if err := y.Decide(c.d, c.done); err != nil {
			t.Fatal(err)
		}
	}
	return y
}

func TestTally(t *testing.T) {
	y := tally(t)
	want := []Summary{
		{Kind: "a", Mode: hostgc.ModeEnforce, Live: 1, Young: 1, Unknown: 2, Garbage: 3, Bytes: 12288, Inodes: 3, Removed: 1,
			Causes: map[string]int{hostgc.CausePowerLoss: 3}},
		{Kind: "b", Mode: hostgc.ModeReport, Causes: map[string]int{}},
	}
	if diff := cmp.Diff(want, y.Summaries()); diff != "" {
		t.Error(diff)
	}
	want[0].Kind, want[0].Mode = "total", ""
	if diff := cmp.Diff(want[0], y.Total()); diff != "" {
		t.Error(diff)
	}
	if y.Judged() || y.Failed != 1 || y.Failure == nil {
		t.Errorf("judged %v, failed %d: %v", y.Judged(), y.Failed, y.Failure)
	}
}

// Reasons that quote a file are without bound, and the tally is not.
func TestTallyIsBounded(t *testing.T) {
	y := NewTally([]hostgc.Kind{{Name: "a"}}, nil)
	for i := range 1000 {
		if err := y.Decide(decision("x", hostgc.Unknown, hostgc.RuleFlawed, fmt.Sprint("quote ", i)), sweep.Outcome{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(y.Kept) != maxReasons+1 || y.Kept[manyReasons] != 1000-maxReasons {
		t.Errorf("%d reasons, %d others", len(y.Kept), y.Kept[manyReasons])
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name string
		tb   Table
		says []string
		not  []string
	}{
		{"scan", Table{Node: "n", At: at}, []string{
			"n, 2026-11-30 12:00 UTC", "INODES", "total                            1      1       2        3    12 KiB        3",
			"MUTE: no permission", "power-loss: the node lost power", "Not judged", "witness proc is mute", "a symlink",
			"hostgc check", "hostgc sweep                 remove 2", "/d/gone"}, []string{"Garbage that was left"}},
		{"sweep", Table{Node: "n", At: at, Swept: true}, []string{
			"REMOVED", "the limit is reached", "1 could not be removed: read-only file system", "/d/odd"}, []string{"/d/gone\n", "hostgc sweep "}},
		{"dry run", Table{Node: "n", At: at, Swept: true, DryRun: true}, []string{"hostgc sweep", "/d/gone"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.tb.Write(&b, tally(t)); err != nil {
				t.Fatal(err)
			}
			for _, s := range c.says {
				if !strings.Contains(b.String(), s) {
					t.Errorf("it does not say %q:\n%s", s, b.String())
				}
			}
			for _, s := range c.not {
				if strings.Contains(b.String(), s) {
					t.Errorf("it says %q:\n%s", s, b.String())
				}
			}
		})
	}
}

func TestTableOfAHealthyNode(t *testing.T) {
	y := NewTally([]hostgc.Kind{{Name: "a"}}, nil)
	var b bytes.Buffer
	if err := (Table{Node: "n", At: at}).Write(&b, y); err != nil || !strings.Contains(b.String(), "nothing to remove") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// What no sweep removes is not promised to be removed by one.
func TestTableOfAKindThatIsOnlyReported(t *testing.T) {
	y := NewTally([]hostgc.Kind{{Name: "a"}}, map[string]hostgc.Mode{"a": hostgc.ModeReport})
	if err := y.Decide(decision("gone", hostgc.Garbage, hostgc.RuleAbsent, "absent"), sweep.Outcome{}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (Table{Node: "n", At: at}).Write(&b, y); err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(b.String()), " ")
	if strings.Contains(flat, "hostgc sweep") || !strings.Contains(flat, "kinds: {a: {mode: enforce}} in the configuration lets hostgc remove the 1") {
		t.Errorf("the table says:\n%s", b.String())
	}
}

func TestDocumentsHoldTheSame(t *testing.T) {
	write := func(format string) string {
		var b bytes.Buffer
		w, err := NewWriter(format, &b, `n"1`, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "y"} {
			if err := w.Decide(decision(name, hostgc.Garbage, hostgc.RuleAbsent, "absent"), sweep.Outcome{Err: errors.New("EIO")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Hear(hostgc.Hearing{}), w.Close(tally(t))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var fromJSON, fromYAML map[string]any
	if err := json.Unmarshal([]byte(write("json")), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(write("yaml")), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("JSON and YAML differ: %s", diff)
	}
	for _, key := range []string{"node", "at", "summary", "decisions", "witnesses"} {
		if _, ok := fromJSON[key]; !ok {
			t.Errorf("no %s in the document", key)
		}
	}
	if fromJSON["node"] != `n"1` {
		t.Errorf("the node is %v", fromJSON["node"])
	}
	if lines := strings.Count(write("jsonl"), "\n"); lines != 3 {
		t.Errorf("%d lines, want 2 decisions and the report", lines)
	}
	if _, err := NewWriter("xml", nil, "", at); err == nil {
		t.Error("xml is a format")
	}
}

func TestEmptyDocuments(t *testing.T) {
	for _, format := range []string{"json", "yaml"} {
		var b bytes.Buffer
		w, _ := NewWriter(format, &b, "n", at)
		if err := w.Close(NewTally(nil, nil)); err != nil {
			t.Fatal(err)
		}
		var doc struct{ Decisions []any }
		if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil || doc.Decisions == nil {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
	}
}

func TestStory(t *testing.T) {
	d := decision("gone", hostgc.Garbage, hostgc.RuleAbsent, "absent")
	d.Object.Cause = hostgc.CauseDelFailed
	d.Object.ID.Ino, d.Object.ID.Mtime = 7, at
	d.Object.Owner = hostgc.Owner{Sandbox: "s1", Network: "net1", Interface: "eth0", IPs: []string{"10.0.0.1"}}
	d.Object.Refs = []hostgc.Ref{{Space: hostgc.SpaceSandbox, Key: "s1"}}
	kin := hostgc.Object{Dir: "/k", Name: "kin", Owner: hostgc.Owner{Namespace: "ns", Pod: "web-0", PodUID: "u1"}}
	x := observe.Explanation{Decision: d, Kind: hostgc.Kind{Name: "a", Doc: "what it is"}, Kin: []hostgc.Object{kin, kin},
		Trail: []hostgc.Step{{Reason: hostgc.Reason{Rule: "young", Text: "three hours old"}}},
		Hearing: hostgc.Hearing{Testimonies: []hostgc.Testimony{
			{Witness: "cri", Says: "2 sandboxes", At: at, Claims: []hostgc.Claim{{Ref: d.Object.Refs[0], Detail: "listed"}}},
			{Witness: "proc", Err: "no permission"}, {Witness: "runtime", Says: "nothing", At: at}}}}
	var b bytes.Buffer
	if err := Story(&b, x, hostgc.ModeEnforce); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"/d/gone", "GARBAGE", "what it is", "pod ns/web-0", "UID u1", "network net1", "IPs 10.0.0.1", "sandbox s1",
		"inode 7", "/k/kin", "three hours old", "says that sandbox/s1 is alive: listed", "MUTE: no permission", "says nothing of it",
		"delegate-del-failed", "retryDeleteOnError: true", "hostgc sweep removes it"} {
		if flat := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(flat, s) {
			t.Errorf("the story does not say %q:\n%s", s, b.String())
		}
	}
	if s := NewStory(x); s.Cure == "" || len(s.Kin) != 2 || len(s.Witnesses) != 3 || s.Path != "/d/gone" {
		t.Errorf("%+v", s)
	}
}

func TestNextStep(t *testing.T) {
	for _, c := range []struct {
		v    hostgc.Verdict
		rule string
		mode hostgc.Mode
		says string
	}{
		{hostgc.Garbage, hostgc.RuleAbsent, hostgc.ModeReport, "mode is report"},
		{hostgc.Live, hostgc.RuleClaimed, hostgc.ModeEnforce, "in use"},
		{hostgc.Young, hostgc.RuleYoung, hostgc.ModeEnforce, "wait"},
		{hostgc.Unknown, hostgc.RuleUnproven, hostgc.ModeEnforce, "hostgc check"},
		{hostgc.Unknown, hostgc.RuleFlawed, hostgc.ModeEnforce, "look at the file yourself"},
	} {
		d := decision("x", c.v, c.rule, "the reason")
		if got := nextStep(d, c.mode); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q does not say %q", c.v, got, c.says)
		}
		if got := verdictWords(d); c.v != hostgc.Garbage && !strings.Contains(got, "the reason") {
			t.Errorf("%s: %q does not give the reason", c.v, got)
		}
	}
	if got := whose(hostgc.Object{}, nil); got != "nothing tells" {
		t.Error(got)
	}
}

func TestWrap(t *testing.T) {
	got := wrap("one two three "+strings.Repeat("x", 12)+" four", 10)
	want := []string{"one two", "three", strings.Repeat("x", 12), "four"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := Entry(&b, "ok", "text"); err != nil || b.String() != "  ok        text\n" {
		t.Errorf("%v %q", err, b.String())
	}
}
