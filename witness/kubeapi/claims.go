package kubeapi

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hostgc/hostgc"
)

// The annotations of a mirror pod, by which the kubelet shows a static pod in
// the API. Both hold the hash of the static pod's configuration, and that hash
// is what the runtime and CNI get as the pod's UID.
const (
	configHash   = "kubernetes.io/config.hash"
	configMirror = "kubernetes.io/config.mirror"
)

// UIDs gives the UIDs by which the node's files may call a pod: its own, and
// for a mirror pod the static pod's hash.
func UIDs(pod metav1.ObjectMeta) []string {
	uids := []string{string(pod.UID)}
	for _, key := range []string{configHash, configMirror} {
		if hash := pod.Annotations[key]; hash != "" && hash != uids[len(uids)-1] {
			uids = append(uids, hash)
		}
	}
	return uids
}

// Claims makes the claims of one pod. A pod without a UID is an error: a list
// that is not understood must not count as an answer.
func Claims(witness, node string, pod metav1.ObjectMeta) ([]hostgc.Claim, error) {
	if pod.UID == "" {
		return nil, fmt.Errorf("pod %q has no UID", pod.Namespace+"/"+pod.Name)
	}
	var claims []hostgc.Claim
	for _, uid := range UIDs(pod) {
		claims = append(claims, hostgc.Claim{
			Ref:     hostgc.Ref{Space: hostgc.SpacePod, Key: uid},
			Witness: witness,
			Detail:  fmt.Sprintf("pod %s/%s runs on node %s by the API", pod.Namespace, pod.Name, node),
		})
	}
	return claims, nil
}
