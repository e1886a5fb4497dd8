package bed

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
)

//go:embed manifests/crd.yaml
var crdManifest string

// Workloads is a Deployment web and a StatefulSet db, whose pods have two
// networks.
//
//go:embed manifests/workloads.yaml
var Workloads string

// Apply makes or changes the objects of a manifest, as `kubectl apply` does.
func (c *Cluster) Apply(manifest string) {
	c.t.Helper()
	for doc := range strings.SplitSeq(manifest, "\n---\n") {
		// A kind that was defined a moment ago may not be served yet.
		c.must(eventually(30*time.Second, func() error { return c.apply(doc) }), "apply a manifest")
	}
}

func (c *Cluster) apply(doc string) error {
	var o unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(doc), &o.Object); err != nil {
		return err
	}
	groups, err := restmapper.GetAPIGroupResources(c.API.Discovery())
	if err != nil {
		return err
	}
	gvk := o.GroupVersionKind()
	mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	body, err := json.Marshal(o.Object)
	if err != nil {
		return err
	}
	yes := true
	options := metav1.PatchOptions{FieldManager: "e2e", Force: &yes}
	resource := c.dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		_, err = resource.Namespace(o.GetNamespace()).Patch(context.Background(), o.GetName(), types.ApplyPatchType, body, options)
	} else {
		_, err = resource.Patch(context.Background(), o.GetName(), types.ApplyPatchType, body, options)
	}
	return err
}
