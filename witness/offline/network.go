package offline

import (
	"context"

	"github.com/hostgc/hostgc/witness/kubeapi"
)

// HostNetwork gives the offline twin of the runtime's HostNetwork: for each
// sandbox ID whether it shares the node's network, as crictl's file names its
// pod and kubectl's file the pod's hostNetwork. A sandbox whose pod is not in
// kubectl's file is left out.
func HostNetwork(crictlPodsFile, kubectlPodsFile string) func(context.Context, []string) (map[string]bool, error) {
	return func(_ context.Context, ids []string) (map[string]bool, error) {
		sandboxes, err := load(crictlPodsFile, crictlPods, parseSandboxes)
		if err != nil {
			return nil, err
		}
		pods, err := load(kubectlPodsFile, kubectlPods, parsePods)
		if err != nil {
			return nil, err
		}
		podOf := map[string]string{}
		for _, s := range sandboxes {
			podOf[s.GetId()] = s.GetMetadata().GetUid()
		}
		return hostNetworks(ids, podOf, pods), nil
	}
}

func hostNetworks(ids []string, podOf map[string]string, pods []pod) map[string]bool {
	byUID := map[string]bool{}
	for _, p := range pods {
		for _, uid := range kubeapi.UIDs(p.Metadata) {
			byUID[uid] = p.Spec.HostNetwork
		}
	}
	told := map[string]bool{}
	for _, id := range ids {
		if host, ok := byUID[podOf[id]]; ok {
			told[id] = host
		}
	}
	return told
}
