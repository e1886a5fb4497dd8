package bed

import (
	"context"
	"slices"
	"strings"

	authv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// Rights gives what hostgc's service account may do in a namespace by the API
// server's own reckoning ("list pods"), beyond what every account may.
func (c *Cluster) Rights(namespace string) []string {
	c.t.Helper()
	everyone := c.rightsOf("system:serviceaccount:"+hostgcNamespace+":default", namespace)
	var own []string
	for _, right := range c.rightsOf("system:serviceaccount:"+hostgcNamespace+":hostgc", namespace) {
		if !slices.Contains(everyone, right) {
			own = append(own, right)
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

func (c *Cluster) rightsOf(user, namespace string) []string {
	c.t.Helper()
	config := c.restConfig()
	config.Impersonate.UserName = user
	api, err := kubernetes.NewForConfig(config)
	c.must(err, "make a client for "+user)
	review, err := api.AuthorizationV1().SelfSubjectRulesReviews().Create(context.Background(),
		&authv1.SelfSubjectRulesReview{Spec: authv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}, metav1.CreateOptions{})
	c.must(err, "ask what "+user+" may do")
	var rights []string
	for _, r := range review.Status.ResourceRules {
		for _, verb := range r.Verbs {
			for _, resource := range r.Resources {
				right := strings.Join(append([]string{verb, resource}, r.ResourceNames...), " ")
				rights = append(rights, right)
			}
		}
	}
	for _, r := range review.Status.NonResourceRules {
		for _, verb := range r.Verbs {
			for _, url := range r.NonResourceURLs {
				rights = append(rights, verb+" "+url)
			}
		}
	}
	return rights
}

func (c *Cluster) restConfig() *rest.Config {
	c.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.layout.share("admin.kubeconfig"))
	c.must(err, "read the admin's kubeconfig")
	config.Dial = c.Dial
	config.QPS, config.Burst = 200, 400
	return config
}

// warnings collects what the API server answers beside its answer.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

// DryRun has the API server check objects as it does those that it stores:
// every field, and its own policies. It gives the server's warnings.
func (c *Cluster) DryRun(objects ...unstructured.Unstructured) (said []string, err error) {
	c.t.Helper()
	var w warnings
	config := c.restConfig()
	config.WarningHandler = &w
	client, err := dynamic.NewForConfig(config)
	c.must(err, "make a client")
	groups, err := restmapper.GetAPIGroupResources(c.API.Discovery())
	c.must(err, "ask for the kinds of objects")
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
	for _, o := range objects {
		mapping, err := mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
		if err != nil {
			return w, err
		}
		var to dynamic.ResourceInterface = client.Resource(mapping.Resource)
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			to = client.Resource(mapping.Resource).Namespace(o.GetNamespace())
		}
		if _, err := to.Create(context.Background(), &o, options); err != nil {
			return w, err
		}
	}
	return w, nil
}
