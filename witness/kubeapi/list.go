package kubeapi

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// page is how many pods are asked for at once; few nodes run more.
const page = 500

// list gives the node's pods, all pages or an error. Where a page is asked
// for too late (410 Gone: etcd was compacted meanwhile) it starts over, once.
func (s server) list(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	pods, err := s.pages(ctx)
	if gone(err) {
		pods, err = s.pages(ctx)
	}
	return pods, err
}

// pages reads with resourceVersion 0, from the API server's cache, where pods
// are indexed by node. A read that must be fresh makes API servers before 1.31
// read and decode every pod of the cluster from etcd for each node that asks,
// and ten thousand nodes ask each hour.
//
// The cache may be behind, as a rule by less than a second, and lack a new
// pod. That costs no live file: a file of a pod newer than the cache is
// younger than the minimum age of at least an hour, and an API server that
// far behind etcd is not ready. An old pod that is gone from etcd only keeps
// more.
func (s server) pages(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	options := metav1.ListOptions{
		FieldSelector: fields.AndSelectors(
			fields.OneTermEqualSelector("spec.nodeName", s.node),
			fields.OneTermNotEqualSelector("status.phase", "Succeeded"),
			fields.OneTermNotEqualSelector("status.phase", "Failed"),
		).String(),
		Limit:           page,
		ResourceVersion: "0",
	}
	var pods []metav1.PartialObjectMetadata
	for {
		list, err := s.pods.List(ctx, options)
		if err != nil {
			return nil, err
		}
		// The client takes any JSON object for a list. A real one always has a
		// version; the greeting of some proxy has not.
		if list.ResourceVersion == "" {
			return nil, errors.New("the answer is no list of an API server: it has no resourceVersion")
		}
		pods = append(pods, list.Items...)
		if list.Continue == "" {
			return pods, nil
		}
		options.Continue = list.Continue
		options.ResourceVersion = "" // the token holds it, and both are refused
	}
}

func gone(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// advice says what an operator can do about an error, or nothing.
func advice(err error) string {
	switch {
	case apierrors.IsForbidden(err):
		return "hostgc needs a ClusterRole that may list pods: "
	case apierrors.IsUnauthorized(err):
		return "the credentials are not, or no longer, valid: "
	case errors.Is(err, context.DeadlineExceeded):
		return "no whole answer within " + timeout.String() + ": "
	default:
		return ""
	}
}
