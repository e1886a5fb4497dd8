package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/hostgc/hostgc"
)

// Printed by crictl and kubectl on a real node after a failed CNI DEL.
const (
	podsFile       = "testdata/crictl-pods.json"
	containersFile = "testdata/crictl-containers.json"
	kubectlFile    = "testdata/kubectl-pods.json"
)

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCRIOnRealFiles(t *testing.T) {
	got, err := CRI(podsFile, containersFile).Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states := map[hostgc.State]int{}
	byID := map[string]hostgc.Claim{}
	for _, c := range got.Claims {
		states[c.State]++
		if _, ok := byID[c.Ref.Key]; !ok {
			byID[c.Ref.Key] = c
		}
	}
	if diff := cmp.Diff(map[hostgc.State]int{hostgc.StateReady: 5, hostgc.StateNotReady: 1, "": 6}, states); diff != "" {
		t.Error(diff)
	}
	const id = "0701e4536d83a4792c3234cf6a2c92a68903ee3d9f68507ed1a3b69120a979ce"
	want := hostgc.Claim{
		Ref: hostgc.Ref{Space: hostgc.SpaceSandbox, Key: id}, Witness: "crictl", State: hostgc.StateNotReady,
		Detail: "pod default/web-865c994fd4-2fcvp is listed NOTREADY by crictl (attempt 0)",
		PodUID: "92233f71-092e-400e-8575-103e98310e45",
	}
	if diff := cmp.Diff(want, byID[id]); diff != "" {
		t.Error(diff)
	}
	if want := "6 sandboxes in " + podsFile + ", 6 containers in " + containersFile; got.Says != want {
		t.Errorf("says %q, want %q", got.Says, want)
	}
}

func TestCRIRejects(t *testing.T) {
	whole, err := os.ReadFile(podsFile)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ pods, containers, want string }{
		"no pods file":         {"", containersFile, `"crictl pods -o json" is needed too`},
		"no containers file":   {podsFile, "", `"crictl ps -a -o json" is needed too`},
		"missing":              {filepath.Join(t.TempDir(), "none"), containersFile, `no such file or directory; make the file with "crictl pods -o json"`},
		"a directory":          {t.TempDir(), containersFile, "is a directory"},
		"empty":                {write(t, "\n"), containersFile, "the file is empty"},
		"garbage":              {write(t, "POD ID   CREATED"), containersFile, `not a whole JSON object`},
		"truncated":            {write(t, string(whole[:len(whole)/2])), containersFile, "not a whole JSON object"},
		"two documents":        {write(t, `{"items":[]}{"items":[]}`), containersFile, "not a whole JSON object"},
		"an array":             {write(t, `[]`), containersFile, "not a whole JSON object"},
		"no list":              {write(t, `{}`), containersFile, `it has no list "items"`},
		"null for a list":      {write(t, `{"items":null}`), containersFile, `it has no list "items"`},
		"swapped":              {containersFile, podsFile, `it has no list "items"`},
		"containers for pods":  {podsFile, podsFile, `it has no list "containers"`},
		"kubectl's":            {kubectlFile, containersFile, "it is kubectl's output"},
		"kubectl's, empty":     {write(t, `{"apiVersion":"v1","kind":"List","items":[]}`), containersFile, "it is kubectl's output"},
		"no ID":                {write(t, `{"items":[{"metadata":{"name":"web","namespace":"default"}}]}`), containersFile, "without an ID (pod default/web)"},
		"container of nothing": {podsFile, write(t, `{"containers":[{"id":"c"}]}`), `lists container "c" () without its sandbox`},
		"wrong types":          {write(t, `{"items":[{"id":7}]}`), containersFile, `make the file with "crictl pods -o json"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := CRI(tt.pods, tt.containers).Ask(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestTooLargeIsNotCutOff(t *testing.T) {
	path := write(t, `{"items":[]}`)
	if err := os.Truncate(path, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := CRI(path, containersFile).Ask(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 256 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestFilesAreReadAnew(t *testing.T) {
	path := write(t, `{"items":[]}`)
	w := CRI(path, write(t, `{"containers":[]}`))
	got, err := w.Ask(t.Context())
	if err != nil || len(got.Claims) != 0 {
		t.Fatalf("an empty list is an answer; got %v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte(`{"items":[{"id":"a","createdAt":1796069266079986362,"ofTomorrow":{}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = w.Ask(t.Context()); err != nil || len(got.Claims) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzSandboxes(f *testing.F) {
	seed(f, podsFile, `{"items":[]}`, `{"items":[{"id":"a","state":"SANDBOX_NOTREADY","createdAt":"1"}]}`, `{"items":[{"state":9}]}`, "{}", "")
	f.Fuzz(func(t *testing.T, content []byte) {
		items, err := parseSandboxes(content)
		if err == nil {
			roundTrip(t, &runtimeapi.ListPodSandboxResponse{Items: items}, parseSandboxes, items)
		}
	})
}

func FuzzContainers(f *testing.F) {
	seed(f, containersFile, `{"containers":[]}`, `{"containers":[{"id":"a","podSandboxId":"b","state":"CONTAINER_EXITED"}]}`, "{}", "")
	f.Fuzz(func(t *testing.T, content []byte) {
		items, err := parseContainers(content)
		if err == nil {
			roundTrip(t, &runtimeapi.ListContainersResponse{Containers: items}, parseContainers, items)
		}
	})
}

func seed(f *testing.F, file string, more ...string) {
	f.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(content[:len(content)/2])
	for _, s := range more {
		f.Add([]byte(s))
	}
}

// roundTrip prints what was parsed as crictl does, and parses it again.
func roundTrip[T any](t *testing.T, message proto.Message, parse func([]byte) (T, error), want T) {
	t.Helper()
	printed, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(printed)
	if err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
