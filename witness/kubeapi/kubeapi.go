// Package kubeapi hears the API server: which pods are bound to this node.
//
// A pod's UID is not a sandbox's identity, and absence from the API proves
// nothing: a pod that was deleted by force may still run. So this witness
// knows nothing completely. All it says are reasons to keep.
//
// It asks for metadata only, in protobuf: one request an answer for a node
// with up to 500 pods, none for each file.
package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hostgc/hostgc"
)

// ErrNotConfigured says that there is no kubeconfig and that hostgc does not
// run in a pod: the witness is absent, not mute.
var ErrNotConfigured = errors.New("no kubeconfig, and not in a pod")

// timeout limits one answer, all its pages.
const timeout = time.Minute

// New gives the witness "kubeapi" for the pods of a node. Without the path of
// a kubeconfig it takes the pod's own account, or fails with ErrNotConfigured.
// It sends nothing yet.
func New(kubeconfig, node string) (hostgc.Witness, error) {
	config, err := load(kubeconfig)
	if err != nil {
		return hostgc.Witness{}, err
	}
	if node == "" {
		return hostgc.Witness{}, errors.New("the API server cannot be asked for this node's pods: the node's name is not known; give it with --node")
	}
	config.UserAgent = "hostgc"
	config.WarningHandler = rest.NoWarnings{} // it would write to stderr
	// One request a hearing cannot flood anybody, and the API server has its own
	// fairness. The client's default, 5 a second, would only make the later
	// hearings of a node with a million files wait.
	config.QPS = -1
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return hostgc.Witness{}, fmt.Errorf("client of the API server %s: %w", config.Host, err)
	}
	s := server{host: config.Host, node: node, pods: client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})}
	return hostgc.Witness{Name: "kubeapi", Speaks: []hostgc.Space{hostgc.SpacePod}, Ask: s.ask}, nil
}

func load(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		config, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			return nil, ErrNotConfigured
		}
		return config, err
	}
	// Not clientcmd's deferred loader: for an empty file it would silently
	// take the pod's own account.
	file, err := (&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig}).Load()
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig %s: %w", kubeconfig, err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*file, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", kubeconfig, err)
	}
	return config, nil
}

// server is an API server and the node that it is asked about.
type server struct {
	host, node string
	pods       metadata.ResourceInterface
}

func (s server) ask(ctx context.Context) (hostgc.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	pods, err := s.list(ctx)
	if err != nil {
		return hostgc.Answer{}, fmt.Errorf("list the pods of node %s at %s: %s%w", s.node, s.host, advice(err), err)
	}
	answer := hostgc.Answer{Says: fmt.Sprintf("%d pods of node %s at %s", len(pods), s.node, s.host)}
	for _, pod := range pods {
		claims, err := Claims("kubeapi", s.node, pod.ObjectMeta)
		if err != nil {
			return answer, fmt.Errorf("list of %s: %w", s.host, err)
		}
		answer.Claims = append(answer.Claims, claims...)
	}
	return answer, nil
}
