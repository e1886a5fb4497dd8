package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
)

// witness gives the witness of a server, by a kubeconfig as kubectl's.
func witness(t *testing.T, h http.Handler) hostgc.Witness {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	w, err := New(kubeconfig(t, server.URL), "node1")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func kubeconfig(t *testing.T, url string) string {
	t.Helper()
	return write(t, fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, url))
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// script answers the nth request with its nth step and notes the queries.
type script struct {
	steps   []step
	queries []string
	headers http.Header
}

type step struct {
	code int
	body string
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := len(s.queries)
	s.queries = append(s.queries, r.URL.Path+"?"+r.URL.Query().Encode())
	s.headers = r.Header
	if n >= len(s.steps) {
		n = len(s.steps) - 1
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(s.steps[n].code)
	fmt.Fprint(w, s.steps[n].body)
}

func list(next string, items ...string) step {
	return step{200, fmt.Sprintf(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","continue":%q},"items":[%s]}`,
		next, strings.Join(items, ","))}
}

func failure(code int, reason string) step {
	return step{code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"said so"}`, reason, code)}
}

const (
	web    = `{"metadata":{"namespace":"default","name":"web","uid":"uid-web"}}`
	db     = `{"metadata":{"namespace":"default","name":"db","uid":"uid-db"}}`
	mirror = `{"metadata":{"namespace":"kube-system","name":"etcd-node1","uid":"uid-mirror","annotations":{
		"kubernetes.io/config.hash":"0123456789abcdef0123456789abcdef","kubernetes.io/config.mirror":"0123456789abcdef0123456789abcdef","kubernetes.io/config.source":"file"}}}`
)

func TestAsk(t *testing.T) {
	tests := map[string]struct {
		steps    []step
		want     []string // keys of the claims
		err      string
		requests int
	}{
		"one page":                  {[]step{list("", web, db)}, []string{"uid-web", "uid-db"}, "", 1},
		"no pod":                    {[]step{list("")}, nil, "", 1},
		"static pod":                {[]step{list("", mirror)}, []string{"uid-mirror", "0123456789abcdef0123456789abcdef"}, "", 1},
		"pages":                     {[]step{list("p2", web), list("p3"), list("", db)}, []string{"uid-web", "uid-db"}, "", 3},
		"a page fails":              {[]step{list("p2", web), failure(500, "InternalError")}, nil, "said so", 2},
		"a page is gone":            {[]step{list("p2", web), failure(410, "Expired"), list("p2", web), list("", db)}, []string{"uid-web", "uid-db"}, "", 4},
		"a page is gone twice":      {[]step{list("p2", web), failure(410, "Expired"), list("p2", web), failure(410, "Expired"), list("", db)}, nil, "said so", 4},
		"RBAC taken away":           {[]step{failure(403, "Forbidden")}, nil, "hostgc needs a ClusterRole that may list pods: said so", 1},
		"token expired":             {[]step{failure(401, "Unauthorized")}, nil, "the credentials are not, or no longer, valid", 1},
		"a proxy's greeting":        {[]step{{200, "<html>hello</html>"}}, nil, "list the pods of node node1", 1},
		"JSON, but no list":         {[]step{{200, `{"hello":"there"}`}}, nil, "list the pods of node node1", 1},
		"a list of something else":  {[]step{{200, `{"kind":"ThingList","apiVersion":"things/v1","items":[]}`}}, nil, "no resourceVersion", 1},
		"truncated":                 {[]step{{200, list("", web).body[:150]}}, nil, "list the pods of node node1", 1},
		"a full PodList is as good": {[]step{{200, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + web + `]}`}}, []string{"uid-web"}, "", 1},
		"a pod without UID":         {[]step{list("", `{"metadata":{"namespace":"default","name":"odd"}}`)}, nil, `pod "default/odd" has no UID`, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &script{steps: tt.steps}
			got, err := witness(t, s).Ask(t.Context())
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got error %v, want %q", err, tt.err)
			}
			var keys []string
			for _, c := range got.Claims {
				keys = append(keys, c.Ref.Key)
			}
			if diff := cmp.Diff(tt.want, keys); diff != "" {
				t.Error(diff)
			}
			if len(s.queries) != tt.requests {
				t.Errorf("%d requests, want %d: %q", len(s.queries), tt.requests, s.queries)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	s := &script{steps: []step{list("p2", web), list("", db)}}
	got, err := witness(t, s).Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const selector = "fieldSelector=spec.nodeName%3Dnode1%2Cstatus.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed&limit=500"
	want := []string{
		"/api/v1/pods?" + selector + "&resourceVersion=0",
		"/api/v1/pods?continue=p2&" + selector,
	}
	if diff := cmp.Diff(want, s.queries); diff != "" {
		t.Error(diff)
	}
	if agent := s.headers.Get("User-Agent"); agent != "hostgc" {
		t.Errorf("user agent %q", agent)
	}
	if accept := s.headers.Get("Accept"); !strings.HasPrefix(accept, "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList") {
		t.Errorf("accepts %q", accept)
	}
	wantClaim := hostgc.Claim{Ref: hostgc.Ref{Space: hostgc.SpacePod, Key: "uid-web"}, Witness: "kubeapi",
		Detail: "pod default/web runs on node node1 by the API"}
	if diff := cmp.Diff(wantClaim, got.Claims[0]); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(got.Says, "2 pods of node node1 at http://127.0.0.1:") {
		t.Errorf("says %q", got.Says)
	}
}

func TestHangingServer(t *testing.T) {
	ended := errors.New("the hearing ends")
	ctx, cancel := context.WithCancelCause(t.Context())
	w := witness(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(ended)
		<-r.Context().Done()
	}))
	if _, err := w.Ask(ctx); !errors.Is(err, ended) {
		t.Errorf("got %v", err)
	}
}

func TestUnreachableServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	w, err := New(kubeconfig(t, server.URL), "node1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Ask(t.Context()); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

func TestNew(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := New("", "node1"); !errors.Is(err, ErrNotConfigured) {
		t.Errorf("outside a pod: got %v", err)
	}
	tests := map[string]struct{ path, node, want string }{
		"missing": {filepath.Join(t.TempDir(), "none"), "node1", "no such file"},
		"empty":   {write(t, ""), "node1", "kubeconfig"},
		"garbage": {write(t, "{{{"), "node1", "load kubeconfig"},
		"no node": {kubeconfig(t, "http://127.0.0.1:1"), "", "--node"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New(tt.path, tt.node)
			if err == nil || errors.Is(err, ErrNotConfigured) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
