package agent

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHealth(t *testing.T) {
	now := time.Unix(1000, 0)
	h := &Health{Now: func() time.Time { return now }}
	want := func(what string, live, ready int, says string) {
		t.Helper()
		l, r := httptest.NewRecorder(), httptest.NewRecorder()
		h.Healthz(l, nil)
		h.Readyz(r, nil)
		if l.Code != live || r.Code != ready || !strings.Contains(l.Body.String()+r.Body.String(), says) {
			t.Errorf("%s: healthz %d, readyz %d, want %d and %d:\n%s%s", what, l.Code, r.Code, live, ready, l.Body, r.Body)
		}
	}
	h.Beat()
	want("just begun", 200, 503, "no cycle has ended yet")
	h.Ended(errors.New("the socket is gone"))
	want("after a cycle that failed", 200, 503, "the latest cycle could not do its work: the socket is gone")
	h.Ended(nil)
	want("after one that did not", 200, 200, "ok")
	now = now.Add(10 * time.Minute)
	want("silent for as long as allowed", 200, 200, "ok")
	now = now.Add(time.Second)
	want("and longer", 503, 200, "no sign of life for 10m1s")
	h.Beat()
	want("at work again", 200, 200, "ok")
}
