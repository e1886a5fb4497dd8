package bed

import (
	"context"
	_ "embed"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

//go:embed manifests/rbac.yaml
var rbacManifest string

// Allow lets hostgc list pods at the API server, and has the sweeps of this
// node ask there.
func (c *Cluster) Allow() {
	c.t.Helper()
	c.Apply(rbacManifest)
	c.sweepArgs = []string{"--kubeconfig", shareDir + "/hostgc.kubeconfig"}
}

// Forbid takes the permission away. Sweeps still ask.
func (c *Cluster) Forbid() {
	c.t.Helper()
	err := c.API.RbacV1().ClusterRoleBindings().Delete(context.Background(), "hostgc", metav1.DeleteOptions{})
	c.must(err, "take hostgc's permissions away")
}
