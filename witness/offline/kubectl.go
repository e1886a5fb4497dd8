package offline

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/witness/kubeapi"
)

// pod is what is read of a pod.
type pod struct {
	Kind     string            `json:"kind"`
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		NodeName    string `json:"nodeName"`
		HostNetwork bool   `json:"hostNetwork"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// Pods gives the witness "kubectl" of the file that "kubectl get pods -A -o
// json" printed, for the pods of a node, or of all where node is empty. Like
// the API server, it only gives reasons to keep.
func Pods(file, node string) hostgc.Witness {
	return hostgc.Witness{Name: "kubectl", Speaks: []hostgc.Space{hostgc.SpacePod},
		Ask: func(context.Context) (hostgc.Answer, error) {
			pods, err := load(file, kubectlPods, parsePods)
			if err != nil {
				return hostgc.Answer{}, err
			}
			return claims(file, node, pods)
		}}
}

func claims(file, node string, pods []pod) (hostgc.Answer, error) {
	var answer hostgc.Answer
	n := 0
	for _, p := range pods {
		if node != "" && p.Spec.NodeName != node || p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
			continue
		}
		of, err := kubeapi.Claims("kubectl", p.Spec.NodeName, p.Metadata)
		if err != nil {
			return answer, fmt.Errorf("%s: %w", file, err)
		}
		answer.Claims = append(answer.Claims, of...)
		n++
	}
	answer.Says = fmt.Sprintf("%d of the %d pods in %s run on the node %s", n, len(pods), file, node)
	if node == "" {
		answer.Says = fmt.Sprintf("%d of the %d pods in %s run", n, len(pods), file)
	}
	return answer, nil
}

func parsePods(content []byte) ([]pod, error) {
	doc, err := open(content, "items")
	if err != nil {
		return nil, err
	}
	var kind string
	if err := json.Unmarshal(doc["kind"], &kind); err != nil || kind != "List" && kind != "PodList" {
		return nil, fmt.Errorf("it is no list of kubectl's: its kind is %q", kind)
	}
	var pods []pod
	if err := json.Unmarshal(doc["items"], &pods); err != nil {
		return nil, err
	}
	for i, p := range pods {
		// The items of a PodList carry no kind.
		if p.Kind != "Pod" && (p.Kind != "" || kind != "PodList") || p.Metadata.UID == "" {
			return nil, fmt.Errorf("item %d is no pod but %q %q", i+1, p.Kind, p.Metadata.Name)
		}
	}
	return pods, nil
}
