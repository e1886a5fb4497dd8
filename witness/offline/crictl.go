package offline

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/witness/cri"
)

// CRI gives the witness "crictl" of the files that "crictl pods -o json" and
// "crictl ps -a -o json" printed. Both are needed.
func CRI(podsFile, containersFile string) hostgc.Witness {
	spaces := []hostgc.Space{hostgc.SpaceSandbox}
	return hostgc.Witness{Name: "crictl", Speaks: spaces, Knows: spaces,
		Ask: func(context.Context) (hostgc.Answer, error) {
			sandboxes, err := load(podsFile, crictlPods, parseSandboxes)
			if err != nil {
				return hostgc.Answer{}, err
			}
			containers, err := load(containersFile, crictlContainers, parseContainers)
			if err != nil {
				return hostgc.Answer{}, err
			}
			claims, err := cri.Claims("crictl", "crictl", sandboxes, containers)
			return hostgc.Answer{
				Claims: claims,
				Says:   fmt.Sprintf("%d sandboxes in %s, %d containers in %s", len(sandboxes), podsFile, len(containers), containersFile),
			}, err
		}}
}

func parseSandboxes(content []byte) ([]*runtimeapi.PodSandbox, error) {
	var list runtimeapi.ListPodSandboxResponse
	err := parse(content, "items", &list)
	return list.GetItems(), err
}

func parseContainers(content []byte) ([]*runtimeapi.Container, error) {
	var list runtimeapi.ListContainersResponse
	err := parse(content, "containers", &list)
	return list.GetContainers(), err
}

// parse reads what crictl printed: the CRI's answer, in protobuf's JSON.
func parse(content []byte, list string, into proto.Message) error {
	doc, err := open(content, list)
	if err != nil {
		return err
	}
	if doc["kind"] != nil || doc["apiVersion"] != nil {
		return errors.New("it is kubectl's output, not crictl's")
	}
	// Fields that this version of the CRI does not know come from a newer
	// crictl.
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(content, into)
}
