package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/metrics"
)

// agentOf gives the worker of an agent on an empty host with a configuration
// file, and its log.
func agentOf(t *testing.T, content string) (*worker, *bytes.Buffer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hostgc.yaml")
	put(t, file, content)
	return agentWith(t, file, runFlags{changed: func(string) bool { return false }})
}

func agentWith(t *testing.T, file string, f runFlags) (*worker, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	a := &app{flags: flags{config: file, root: t.TempDir(), output: "table"}, log: slog.New(slog.NewTextHandler(log, nil))}
	s, err := a.settle(f)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(a, f, s)
	w.metrics = metrics.New("v1", "abc", kindNames(), agent.NewState())
	return w, log
}

func put(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// refusals gives the alert's metrics: how often, and whether the file is the
// configuration in use.
func refusals(t *testing.T, w *worker) (n int, inUse bool) {
	t.Helper()
	families, err := w.metrics.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		switch f.GetName() {
		case "hostgc_config_reload_failures_total":
			n = int(f.GetMetric()[0].GetCounter().GetValue())
		case "hostgc_config_last_reload_successful":
			inUse = f.GetMetric()[0].GetGauge().GetValue() == 1
		}
	}
	return n, inUse
}

func TestReload(t *testing.T) {
	w, log := agentOf(t, "node: one\n")
	w.metrics.Accepted(w.health.Now(), w.settings.times())
	file := w.flags.config
	failed := 0
	for _, step := range []struct {
		what, content, node string
		hangup, changes     bool
		refused             int
		inUse               bool
	}{
		{what: "nothing changed", content: "node: one\n", node: "one", inUse: true},
		{what: "nothing changed, at a hang-up", content: "node: one\n", node: "one", hangup: true, inUse: true},
		{what: "another node", content: "node: two\n", node: "two", changes: true, inUse: true},
		{what: "no YAML", content: "node: [", node: "two", refused: 1},
		{what: "the same mistake a minute later", content: "node: [", node: "two"},
		{what: "the same mistake at a hang-up", content: "node: [", node: "two", hangup: true, refused: 1},
		{what: "an unknown key", content: "nod: three\n", node: "two", refused: 1},
		{what: "an unknown kind", content: "kinds: {pods: {mode: off}}\n", node: "two", refused: 1},
		{what: "a directory that discovery refuses", content: "kinds: {multus-delegates: {dirs: [/etc/kubernetes]}}\n", node: "two", refused: 1},
		{what: "an interval less than settle", content: "node: three\ninterval: 1s\n", node: "two", refused: 1},
		{what: "the one in use again", content: "node: two\n", node: "two", inUse: true},
		{what: "the first mistake again", content: "node: [", node: "two", refused: 1},
		{what: "mended", content: "node: three\n", node: "three", changes: true, inUse: true},
	} {
		put(t, file, step.content)
		log.Reset()
		if got := w.reload(step.hangup); got != step.changes {
			t.Errorf("%s: changed is %v", step.what, got)
		}
		if got := w.settings.config.Node; got != step.node {
			t.Errorf("%s: the node is %q, want %q", step.what, got, step.node)
		}
		if c, err := w.settings.flags.load(kindNames()); err != nil || c.Node != step.node {
			t.Errorf("%s: a cycle would read %q: %v", step.what, c.Node, err)
		}
		failed += step.refused
		if n, inUse := refusals(t, w); n != failed || inUse != step.inUse {
			t.Errorf("%s: %d refusals and in use %v, want %d and %v", step.what, n, inUse, failed, step.inUse)
		}
		if got := strings.Count(log.String(), "the configuration is refused"); got != step.refused {
			t.Errorf("%s: refused %d times in the log:\n%s", step.what, got, log)
		}
		if strings.Contains(log.String(), "/proc/self/fd") {
			t.Errorf("%s: the log does not name the operator's file:\n%s", step.what, log)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is known
		if w.reload(false) || w.settings.config.Node != "three" {
			t.Error("a file that is gone changed something")
		}
	}
	if n, inUse := refusals(t, w); n != failed+1 || inUse {
		t.Errorf("a file that is gone: %d refusals, in use %v", n, inUse)
	}
}

// A kubelet updates a ConfigMap's volume by swapping the link ..data, to which
// the file is a link.
func TestReloadOfAConfigMap(t *testing.T) {
	dir := t.TempDir()
	version := func(name, content string) {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name, "hostgc.yaml"), content)
		if err := os.Symlink(name, filepath.Join(dir, "..data_tmp")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	version("..1", "node: one\n")
	if err := os.Symlink("..data/hostgc.yaml", filepath.Join(dir, "hostgc.yaml")); err != nil {
		t.Fatal(err)
	}
	w, _ := agentWith(t, filepath.Join(dir, "hostgc.yaml"), runFlags{changed: func(string) bool { return false }})
	if w.reload(false) {
		t.Error("changed before it was")
	}
	version("..2", "node: two\n")
	if !w.reload(false) || w.settings.config.Node != "two" {
		t.Errorf("the node is %q", w.settings.config.Node)
	}
}

// Flags win also over what is read later; what needs a restart says so.
func TestReloadAndFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostgc.yaml")
	put(t, file, "interval: 1h\n")
	f := runFlags{interval: 5 * 60e9, listen: "", stateDir: "/s", changed: func(flag string) bool { return flag != "jitter" }}
	w, log := agentWith(t, file, f)
	want := config.Default()
	want.Interval, want.Listen, want.StateDir = config.Duration(f.interval), "", "/s"
	for _, content := range []string{"interval: 1h\n", "interval: 2h\njitter: 7m\nlisten: ':1'\n"} {
		put(t, file, content)
		w.reload(false)
		c := w.settings.config
		if c.Interval != want.Interval || c.Listen != "" || c.StateDir != "/s" {
			t.Errorf("%q: %+v", content, c)
		}
	}
	if w.settings.times().Jitter != 7*60e9 {
		t.Error("the jitter is not that of the file")
	}
	if strings.Contains(log.String(), "only at a restart") {
		t.Error("the flags still win, and there is nothing to warn of")
	}
	w, log = agentOf(t, "")
	put(t, w.flags.config, "stateDir: /elsewhere\n")
	if w.reload(false); !strings.Contains(log.String(), "only at a restart") {
		t.Errorf("no word of the restart that is needed:\n%s", log)
	}
}

// Without a configuration file there is nothing to read anew.
func TestReloadWithoutFile(t *testing.T) {
	w, log := agentWith(t, "", runFlags{changed: func(string) bool { return false }})
	if w.reload(true) || log.Len() > 0 {
		t.Errorf("%s", log)
	}
}
