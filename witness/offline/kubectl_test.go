package offline

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
)

const hash = "0123456789abcdef0123456789abcdef"

// cluster is cut down to what is read: pods of two nodes, one of them static,
// and two that have ended.
const cluster = `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[
 {"kind":"Pod","metadata":{"namespace":"default","name":"web","uid":"u-web"},"spec":{"nodeName":"node1"},"status":{"phase":"Running"}},
 {"kind":"Pod","metadata":{"namespace":"default","name":"new","uid":"u-new"},"spec":{"nodeName":"node1"},"status":{"phase":"Pending"}},
 {"kind":"Pod","metadata":{"namespace":"default","name":"job","uid":"u-job"},"spec":{"nodeName":"node1"},"status":{"phase":"Succeeded"}},
 {"kind":"Pod","metadata":{"namespace":"default","name":"bad","uid":"u-bad"},"spec":{"nodeName":"node1"},"status":{"phase":"Failed"}},
 {"kind":"Pod","metadata":{"namespace":"default","name":"far","uid":"u-far"},"spec":{"nodeName":"node2"},"status":{"phase":"Running"}},
 {"kind":"Pod","metadata":{"namespace":"kube-system","name":"etcd-node1","uid":"u-etcd","annotations":{"kubernetes.io/config.hash":"` + hash + `","kubernetes.io/config.mirror":"` + hash + `"}},
  "spec":{"nodeName":"node1","hostNetwork":true},"status":{"phase":"Running"}}]}`

func podKeys(a hostgc.Answer) []string {
	var keys []string
	for _, c := range a.Claims {
		keys = append(keys, c.Ref.String())
	}
	return keys
}

func TestPods(t *testing.T) {
	file := write(t, cluster)
	tests := map[string]struct {
		file, node string
		want       []string
		says       string
	}{
		"a node":           {file, "node1", []string{"pod/u-web", "pod/u-new", "pod/u-etcd", "pod/" + hash}, "3 of the 6 pods in " + file + " run on the node node1"},
		"all nodes":        {file, "", []string{"pod/u-web", "pod/u-new", "pod/u-far", "pod/u-etcd", "pod/" + hash}, "4 of the 6 pods in " + file + " run"},
		"no pod of a node": {file, "node9", nil, "0 of the 6 pods in " + file + " run on the node node9"},
		"a real file": {kubectlFile, "node1", []string{"pod/748053bb-f3da-4839-a6f4-2a730c3ff7fd", "pod/fbe19b34-472d-4e30-b3f9-d06c8c8b132b"},
			"2 of the 2 pods in " + kubectlFile + " run on the node node1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Pods(tt.file, tt.node).Ask(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, podKeys(got)); diff != "" {
				t.Error(diff)
			}
			if got.Says != tt.says {
				t.Errorf("says %q, want %q", got.Says, tt.says)
			}
		})
	}
}

func TestPodsRejects(t *testing.T) {
	tests := map[string]struct{ file, want string }{
		"not given":     {"", `"kubectl get pods -A -o json" is needed too`},
		"missing":       {filepath.Join(t.TempDir(), "none"), "no such file"},
		"empty":         {write(t, ""), "the file is empty"},
		"garbage":       {write(t, "NAMESPACE NAME"), "not a whole JSON object"},
		"truncated":     {write(t, cluster[:len(cluster)/2]), "not a whole JSON object"},
		"no list":       {write(t, `{"kind":"List"}`), `it has no list "items"`},
		"one pod":       {write(t, `{"kind":"Pod","metadata":{"uid":"u"}}`), `it has no list "items"`},
		"crictl's":      {podsFile, "it is no list of kubectl's"},
		"another kind":  {write(t, `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"node1","uid":"u"}}]}`), `item 1 is no pod but "Node" "node1"`},
		"another list":  {write(t, `{"kind":"NodeList","items":[]}`), `its kind is "NodeList"`},
		"no UID":        {write(t, `{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"web"}}]}`), `item 1 is no pod but "Pod" "web"`},
		"not even kind": {write(t, `{"kind":"List","items":[{"metadata":{"uid":"u"}}]}`), "item 1 is no pod"},
		"wrong types":   {write(t, `{"kind":"List","items":[7]}`), `make the file with "kubectl get pods -A -o json"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Pods(tt.file, "node1").Ask(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestHostNetwork(t *testing.T) {
	sandboxes := write(t, `{"items":[
		{"id":"static","metadata":{"uid":"`+hash+`"}}, {"id":"web","metadata":{"uid":"u-web"}}, {"id":"gone","metadata":{"uid":"u-gone"}}]}`)
	got, err := HostNetwork(sandboxes, write(t, cluster))(t.Context(), []string{"static", "web", "gone", "stranger"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"static": true, "web": false}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := HostNetwork(sandboxes, "")(t.Context(), nil); err == nil {
		t.Error("no kubectl file and no error")
	}
}

func FuzzPods(f *testing.F) {
	seed(f, kubectlFile, cluster, `{"kind":"List","items":[]}`, `{"kind":"PodList","items":[{"metadata":{"uid":"u"}}]}`, "{}", "")
	f.Fuzz(func(t *testing.T, content []byte) {
		pods, err := parsePods(content)
		if err != nil {
			return
		}
		got, err := claims("file", "", pods)
		if err != nil {
			t.Fatalf("parsed, but not understood: %v", err)
		}
		for _, c := range got.Claims {
			if c.Ref.Key == "" {
				t.Errorf("a claim on nothing: %v", c)
			}
		}
	})
}
