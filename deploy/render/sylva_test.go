package render

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func nested(t *testing.T, obj map[string]any, fields ...string) map[string]any {
	t.Helper()
	m, ok, err := unstructured.NestedMap(obj, fields...)
	if err != nil || !ok {
		t.Fatalf("no %s: %v", strings.Join(fields, "."), err)
	}
	return m
}

// The chart takes the values of the Sylva unit and of the Flux release, which
// are the same; the release is of this chart, from the source beside it.
func TestSylvaAndFlux(t *testing.T) {
	unit := nested(t, values(t, readFile(t, "../sylva/unit.yaml")), "units", "hostgc", "helmrelease_spec")
	y, err := Kustomize("../sylva/flux")
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string]map[string]any{}
	for doc := range strings.SplitSeq(y, "---\n") {
		obj := map[string]any{}
		if err := yaml.UnmarshalStrict([]byte(doc), &obj); err != nil {
			t.Fatal(err)
		}
		byKind[obj["kind"].(string)] = obj
	}
	release := byKind["HelmRelease"]
	for _, spec := range []map[string]any{unit, nested(t, release, "spec")} {
		if chart := nested(t, spec, "chart", "spec")["chart"]; chart != "deploy/chart" {
			t.Errorf("the chart is %v", chart)
		}
		objects(t, nested(t, spec, "values"), Release{Name: "hostgc", Namespace: "hostgc", KubeVersion: "v1.34.0"})
	}
	from, is := nested(t, release, "spec", "chart", "spec", "sourceRef"), byKind["GitRepository"]
	if from["name"] != is["metadata"].(map[string]any)["name"] || from["kind"] != "GitRepository" {
		t.Errorf("the chart comes from %v", from)
	}
	if byKind["Namespace"] == nil {
		t.Error("no namespace")
	}
}
