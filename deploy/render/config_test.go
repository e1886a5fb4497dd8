package render

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/hostgc/hostgc/config"
	"github.com/hostgc/hostgc/discover"
	"github.com/hostgc/hostgc/kind"
	"github.com/hostgc/hostgc/kind/k3sdata"
	"github.com/hostgc/hostgc/kind/rke2data"
)

func kindNames() []string {
	names := []string{rke2data.Product().Kind, k3sdata.Product().Kind}
	for _, k := range kind.All(discover.Layout{}) {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

func kindTable(t *testing.T) map[string]any {
	t.Helper()
	return values(t, readFile(t, chartDir+"/files/kinds.yaml"))
}

// What the chart knows of kinds is what hostgc knows.
func TestKindsAreHostgcs(t *testing.T) {
	if diff := cmp.Diff(kindNames(), slices.Sorted(maps.Keys(kindTable(t)))); diff != "" {
		t.Errorf("files/kinds.yaml: hostgc (-), chart (+):\n%s", diff)
	}
	shown := values(t, readFile(t, chartDir+"/values.yaml"))["config"].(map[string]any)["kinds"].(map[string]any)
	want := map[string]any{}
	for _, k := range kind.All(discover.Layout{}) {
		want[k.Name] = map[string]any{"mode": string(k.Mode)}
	}
	for _, p := range []string{rke2data.Product().Kind, k3sdata.Product().Kind} {
		want[p] = map[string]any{"mode": false} // they want the whole host mounted: for who asks for it
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("values.yaml: hostgc (-), chart (+):\n%s", diff)
	}
}

// hostgc itself accepts each configuration that the chart renders.
func TestHostgcAcceptsEachConfiguration(t *testing.T) {
	for name, v := range ciValues(t) {
		for _, o := range objects(t, v, release) {
			cm, ok := o.(*corev1.ConfigMap)
			if !ok || cm.Data["hostgc.yaml"] == "" {
				continue
			}
			if _, err := config.Parse([]byte(cm.Data["hostgc.yaml"]), kindNames()); err != nil {
				t.Errorf("%s: %v\n%s", name, err, cm.Data["hostgc.yaml"])
			}
		}
	}
}

// The schema has each key of the configuration, but for those that are the
// pod's and not the user's.
func TestSchemaHasEachKey(t *testing.T) {
	var schema struct {
		Definitions, Properties map[string]struct {
			Properties map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, chartDir+"/values.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	set := schema.Properties["config"].Properties
	for what, c := range map[string]struct {
		of   any
		has  []string
		less []string
	}{
		"config":   {config.Config{}, slices.Sorted(maps.Keys(set)), []string{"kubeconfig", "listen", "node", "stateDir"}},
		"pressure": {config.Pressure{}, slices.Sorted(maps.Keys(set["pressure"].Properties)), nil},
		"kind":     {config.Kind{}, slices.Sorted(maps.Keys(schema.Definitions["kind"].Properties)), nil},
		"window":   {config.Window{}, slices.Sorted(maps.Keys(schema.Definitions["window"].Properties)), nil},
		"kinds":    {kindNames(), slices.Sorted(maps.Keys(set["kinds"].Properties)), nil},
	} {
		want := slices.DeleteFunc(keys(c.of), func(k string) bool { return slices.Contains(c.less, k) })
		if diff := cmp.Diff(want, c.has); diff != "" {
			t.Errorf("%s: hostgc (-), schema (+):\n%s", what, diff)
		}
	}
}

// keys gives the JSON keys of a struct, or the names in a list.
func keys(of any) []string {
	if names, ok := of.([]string); ok {
		return slices.Clone(names)
	}
	var out []string
	for f := range reflect.TypeOf(of).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Each mistake is refused before anything is installed.
func TestSchemaRefuses(t *testing.T) {
	for text, says := range map[string]string{
		`confg: {}`: "confg",
		`config: {kinds: {multus-result: {mode: report}}}`:     "multus-result",
		`config: {kinds: {multus-results: {mode: remove}}}`:    "mode",
		`config: {kinds: {multus-results: {mod: report}}}`:     "mod",
		`config: {minAge: 2}`:                                  "minAge",
		`config: {listen: ":9617"}`:                            "listen",
		`distribution: ubuntu`:                                 "distribution",
		`resources: {limits: {ephemeral-storage: 1Gi}}`:        "ephemeral-storage",
		`resources: {requests: {ephemeral-storage: 1Gi}}`:      "ephemeral-storage",
		`terminationGracePeriodSeconds: 0`:                     "terminationGracePeriodSeconds",
		`capabilities: [CAP_SYS_PTRACE]`:                       "capabilities",
		`extraHostPaths: [{path: data, readOnly: true}]`:       "path",
		`extraHostPaths: [{path: /data}]`:                      "readOnly",
		`extraHostPaths: [{path: /, readOnly: false}]`:         "readOnly",
		`image: {digest: latest}`:                              "digest",
		`networkPolicy: {enabled: true}`:                       "does not apply to pods of the host's network",
		`kyverno: {exceptions: [{policyName: a}]}`:             "ruleNames",
		`metrics: {port: "9617"}`:                              "port",
		`config: {windows: [{days: [Monday]}]}`:                "days",
		`config: {pressure: {freeInodes: 95}}`:                 "freeInodes",
		`{hostNetwork: false, podMonitor: {enabled: "true"}}`:  "enabled",
		`{goMemoryLimit: 160M, prometheusRule: {enabled: no}}`: "goMemoryLimit",
	} {
		if _, err := Chart(chartDir, values(t, text), release); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want it to say %q", text, err, says)
		}
	}
}

// An unknown field of a Kubernetes type is seen.
func TestObjectsAreStrict(t *testing.T) {
	for _, text := range []string{
		"apiVersion: apps/v1\nkind: DaemonSet\nspec: {template: {spec: {hostPid: true}}}",
		"apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nspec: {podMetricsEndpoint: []}",
		"apiVersion: apps/v1\nkind: DeamonSet",
	} {
		if _, err := Objects(text); err == nil {
			t.Errorf("no error of\n%s", text)
		}
	}
}
