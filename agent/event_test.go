package agent

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var told = &Count{Removed: map[string]int{"multus-results": 24, "multus-delegates": 11}, Bytes: 143360,
	Causes: map[string]int{"delegate-del-failed": 11, "runtime-forgot": 24}}

func TestEvent(t *testing.T) {
	var got map[string]any
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.Method + " " + r.URL.Path + " " + r.Header.Get("Content-Type")
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	e := Events{Client: server.Client(), Server: server.URL + "/", Node: "worker-1"}
	if err := e.Send(t.Context(), time.Unix(1000, 5), told); err != nil {
		t.Fatal(err)
	}
	if want := "POST /api/v1/namespaces/default/events application/json"; path != want {
		t.Errorf("%s, want %s", path, want)
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "HostStateRemoved", "count": 1.,
		"metadata":       map[string]any{"generateName": "hostgc-", "namespace": "default"},
		"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Node", "name": "worker-1", "uid": "worker-1"},
		"message":        "Removed 35 stale objects (140KiB): 24 multus-results, 11 multus-delegates. They leaked because of: 24 runtime-forgot, 11 delegate-del-failed.",
		"source":         map[string]any{"component": "hostgc", "host": "worker-1"}, "reportingComponent": "hostgc", "reportingInstance": "worker-1",
		"firstTimestamp": "1970-01-01T00:16:40Z", "lastTimestamp": "1970-01-01T00:16:40Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEventIsRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `events is forbidden`, http.StatusForbidden)
	}))
	e := Events{Client: server.Client(), Server: server.URL, Node: "n"}
	if err := e.Send(t.Context(), time.Unix(0, 0), told); err == nil || !strings.Contains(err.Error(), "403 Forbidden") || !strings.Contains(err.Error(), "must be allowed to create events") {
		t.Errorf("got %v", err)
	}
	server.Close()
	if err := e.Send(t.Context(), time.Unix(0, 0), told); err == nil || !strings.Contains(err.Error(), "sending the Event") {
		t.Errorf("with no server: %v", err)
	}
	e.Server = "http://\x00"
	if err := e.Send(t.Context(), time.Unix(0, 0), told); err == nil {
		t.Error("a server of no address was told")
	}
}
