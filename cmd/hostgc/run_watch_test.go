package main

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"golang.org/x/sys/unix"

	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/sweep"
)

func TestServe(t *testing.T) {
	w, _ := agentOf(t, "")
	get := func(method, path string) (int, string) {
		r := httptest.NewRecorder()
		w.handler().ServeHTTP(r, httptest.NewRequest(method, path, nil))
		return r.Code, r.Body.String()
	}
	want := func(method, path string, code int, says string) {
		t.Helper()
		if got, body := get(method, path); got != code || !strings.Contains(body, says) {
			t.Errorf("%s %s: %d, want %d with %q:\n%.300s", method, path, got, code, says, body)
		}
	}
	want("GET", "/metrics", 200, "hostgc_build_info")
	want("GET", "/healthz", 200, "ok")
	want("GET", "/readyz", 503, "no cycle has ended yet")
	w.health.Ended(errors.New("another hostgc"))
	want("GET", "/readyz", 503, "another hostgc")
	w.health.Ended(nil)
	want("GET", "/readyz", 200, "ok")
	want("GET", "/", 404, "")
	want("POST", "/metrics", 405, "")
	want("GET", "/debug/pprof/", 404, "")
	want("GET", "/debug/pprof/cmdline", 404, "")
	w.run.pprof = true
	want("GET", "/debug/pprof/", 200, "heap")
}

func TestServeListens(t *testing.T) {
	w, log := agentOf(t, "")
	stop, err := w.serve("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(log.String(), "address=")
	r, err := http.Get("http://" + strings.TrimSpace(address) + "/healthz")
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%v %v", err, r)
	}
	stop()
	if _, err := http.Get("http://" + strings.TrimSpace(address) + "/healthz"); err == nil {
		t.Error("it still answers after it was stopped")
	}
	if stop, err := w.serve(""); err != nil {
		t.Errorf("without an address: %v", err)
	} else {
		stop()
	}
}

// A witness that is mute is for whoever rolls out hostgc to see.
func TestMuteWitnessIsNotReady(t *testing.T) {
	n, r := alive(t, "killed-all")
	w, _ := agentWith(t, "", runFlags{changed: func(string) bool { return false }})
	w.console, w.settings.flags = newConsole(io.Discard), flags{root: n.dir + "/root", cri: []string{"/run/containerd/containerd.sock"}, output: "table"}
	w.settings.config.Events = false
	ready := func() string {
		if _, err := w.cycle(t.Context(), nil, map[string]int{}); err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		w.health.Readyz(rec, nil)
		return rec.Body.String()
	}
	if says := ready(); says != "ok\n" {
		t.Errorf("with all witnesses: %s", says)
	}
	r.sandboxes.Items = nil // an empty list is no mute witness, and its refusal no reason to stop a roll-out
	if says := ready(); says != "ok\n" {
		t.Errorf("with an empty list: %s", says)
	}
	w.settings.flags.cri = []string{"/run/nothing.sock"}
	if says := ready(); !strings.Contains(says, "witness cri is mute") {
		t.Errorf("with a mute runtime: %s", says)
	}
	want := `
# HELP hostgc_cycles_total Cycles that ended, by result: success, blind (something could not be judged) or failure.
# TYPE hostgc_cycles_total counter
hostgc_cycles_total{result="blind"} 2
hostgc_cycles_total{result="failure"} 0
hostgc_cycles_total{result="success"} 1
`
	if err := testutil.GatherAndCompare(w.metrics.Gatherer(), strings.NewReader(want), "hostgc_cycles_total"); err != nil {
		t.Error(err)
	}
}

// Levels are what the kernel says, once for each file system.
func TestLevels(t *testing.T) {
	w, _ := agentOf(t, "")
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(w.flags.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.watched = []string{"/a", "/b", "/gone"}
	var fs unix.Statfs_t
	if err := unix.Statfs(w.flags.root, &fs); err != nil {
		t.Fatal(err)
	}
	levels := w.levels()
	if len(levels) != 2 {
		t.Fatalf("%v", levels)
	}
	for i, want := range []agent.Level{{Resource: agent.Inodes, Total: fs.Files}, {Resource: agent.Bytes, Total: fs.Blocks * uint64(fs.Bsize)}} {
		if l := levels[i]; l.Resource != want.Resource || l.Total != want.Total || l.Place != "/a" || l.Free > l.Total {
			t.Errorf("%+v, want %+v", l, want)
		}
	}
}

// fullRange puts a host-local network without a free address on the node.
func fullRange(t *testing.T, w *worker) {
	t.Helper()
	conf := `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24","rangeStart":"10.1.0.2","rangeEnd":"10.1.0.2"}]]}}`
	for file, content := range map[string]string{"etc/cni/net.d/10-n.conf": conf, "var/lib/cni/networks/n/10.1.0.2": ""} {
		file = filepath.Join(w.flags.root, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, file, content)
	}
	w.confDirs = []string{"/etc/cni/net.d"}
}

// Between cycles: what became scarce starts one, once, and so does another
// configuration.
func TestCheck(t *testing.T) {
	w, _ := agentOf(t, "")
	fullRange(t, w)
	if why := w.check(t.Context(), false); why != "0 of 1 IPs are free in n" {
		t.Errorf("%q", why)
	}
	if why := w.check(t.Context(), false); why != "" {
		t.Errorf("a minute later: %q", why)
	}
	w.progressed = true
	if why := w.check(t.Context(), false); why == "" {
		t.Error("the cycle removed something, and no other follows")
	}
	put(t, w.flags.config, "pressure: {freeIPs: 0}\n")
	if why := w.check(t.Context(), false); why != "the configuration changed" {
		t.Errorf("%q", why)
	}
	if why := w.check(t.Context(), false); why != "" {
		t.Errorf("turned off: %q", why)
	}
}

// eventServer is an API server that takes Events.
func eventServer(t *testing.T, code int) (kubeconfig string, got *[]string) {
	t.Helper()
	got = &[]string{}
	s := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var e struct {
			Message  string
			Involved struct{ Name string } `json:"involvedObject"`
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		*got = append(*got, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+r.UserAgent()+" "+e.Involved.Name+": "+e.Message)
		rw.WriteHeader(code)
	}))
	t.Cleanup(s.Close)
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	put(t, kubeconfig, fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}], users: [{name: u, user: {token: secret}}]}`, s.URL+"/prefix", ca))
	return kubeconfig, got
}

func TestTellEvent(t *testing.T) {
	kubeconfig, got := eventServer(t, http.StatusCreated)
	w, log := agentOf(t, "")
	c := &w.settings.config
	c.Kubeconfig, c.Node = kubeconfig, "worker-1"
	nothing := agent.NewCount(nil, sweep.Ignore{})
	w.tellEvent(t.Context(), nothing)
	if len(*got) > 0 {
		t.Errorf("told of a cycle that removed nothing: %v", *got)
	}
	something := agent.NewCount(nil, sweep.Ignore{})
	something.Removed["cni-results"] = 3
	something.Causes["runtime-forgot"] = 3
	w.tellEvent(t.Context(), something)
	want := "POST /prefix/api/v1/namespaces/default/events Bearer secret hostgc worker-1: Removed 3 stale objects (0B): 3 cni-results. They leaked because of: 3 runtime-forgot."
	if len(*got) != 1 || (*got)[0] != want {
		t.Errorf("told %q, want %q", *got, want)
	}
	c.Events = false
	w.tellEvent(t.Context(), something)
	if len(*got) != 1 || log.Len() > 0 {
		t.Errorf("told although it was turned off: %v\n%s", *got, log)
	}
}

// That an Event cannot be sent is told to the log and to nobody else.
func TestTellEventFails(t *testing.T) {
	something := agent.NewCount(nil, sweep.Ignore{})
	something.Removed["cni-results"] = 3
	forbidden, _ := eventServer(t, http.StatusForbidden)
	for kubeconfig, says := range map[string]string{forbidden: "403 Forbidden", "/no/such/file": "/no/such/file"} {
		w, log := agentOf(t, "")
		w.settings.config.Kubeconfig = kubeconfig
		w.tellEvent(t.Context(), something)
		if !strings.Contains(log.String(), "no Event was sent") || !strings.Contains(log.String(), says) {
			t.Errorf("%s: the log says\n%s", kubeconfig, log)
		}
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	w, log := agentOf(t, "")
	w.settings.config.Kubeconfig = ""
	w.tellEvent(t.Context(), something)
	if log.Len() > 0 {
		t.Errorf("without a cluster:\n%s", log)
	}
}
