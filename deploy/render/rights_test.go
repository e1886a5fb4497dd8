package render

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// rights gives what the manifests allow, in words.
func rights(objs []runtime.Object) []string {
	var out []string
	add := func(where string, rules []rbacv1.PolicyRule) {
		for _, r := range rules {
			out = append(out, fmt.Sprintf("%s: %v %v%v", where, r.Verbs, r.APIGroups, r.Resources))
		}
	}
	for _, o := range objs {
		switch o := o.(type) {
		case *rbacv1.ClusterRole:
			add("cluster", o.Rules)
		case *rbacv1.Role:
			add("namespace "+o.Namespace, o.Rules)
		}
	}
	slices.Sort(out)
	return out
}

// List pods, create events, nothing else.
func TestRights(t *testing.T) {
	const pods, events = "cluster: [list] [][pods]", "namespace default: [create] [][events]"
	for name, c := range map[string]struct {
		values map[string]any
		want   []string
	}{
		"default":   {nil, []string{pods, events}},
		"no events": {map[string]any{"config": map[string]any{"events": false}}, []string{pods}},
		"no rbac":   {map[string]any{"rbac": map[string]any{"create": false}}, nil},
	} {
		if diff := cmp.Diff(c.want, rights(objects(t, c.values, release))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
