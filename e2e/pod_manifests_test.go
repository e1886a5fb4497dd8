package e2e

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc/e2e/bed"
)

// A real API server takes all that chart and plain manifests render by
// default: no field that it does not know, no warning.
func TestClusterManifestsAreAccepted(t *testing.T) {
	bed.Require(t, "containerd", "runc", "app", "bridge", "multus", "etcd", "kube-apiserver", "kubelet")
	c := bed.UpCluster(t, bed.Thin)
	plain := c.Manifests("--kustomize", "kustomize")
	chart := c.Manifests("--chart", "chart")
	if len(plain) < 7 || len(chart) < 7 {
		t.Fatalf("rendered %d plain objects and %d of the chart", len(plain), len(chart))
	}
	accepts(t, c, "plain namespace", plain[:1]...)
	namespace, err := yaml.Marshal(plain[0].Object)
	if err != nil {
		t.Fatal(err)
	}
	c.Apply(string(namespace)) // a dry run stores nothing, and the others need it
	accepts(t, c, "plain manifests", plain[1:]...)
	accepts(t, c, "chart", chart...)

	broken := chart[len(chart)-1].DeepCopy()
	broken.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["hostPid"] = true
	if _, err := c.DryRun(*broken); err == nil {
		t.Error("the API server took a misspelt field: this test shows nothing")
	}
}

func accepts(t *testing.T, c *bed.Cluster, what string, objects ...unstructured.Unstructured) {
	t.Helper()
	said, err := c.DryRun(objects...)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for _, warning := range said {
		t.Errorf("%s: the API server warns: %s", what, warning)
	}
}
