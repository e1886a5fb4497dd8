package cri

import (
	"fmt"
	"strings"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/hostgc/hostgc"
)

// Claims makes the claims of a runtime's lists. Each sandbox is alive in any
// state, and so is the sandbox of each container, also where the runtime does
// not list the sandbox itself. by names the runtime, for people.
//
// A sandbox without an ID, or a container without a sandbox's, is an error: a
// list that is not understood must not count as complete.
func Claims(witness, by string, sandboxes []*runtimeapi.PodSandbox, containers []*runtimeapi.Container) ([]hostgc.Claim, error) {
	claims := make([]hostgc.Claim, 0, len(sandboxes)+len(containers))
	for _, s := range sandboxes {
		m := s.GetMetadata()
		if s.GetId() == "" {
			return nil, fmt.Errorf("%s lists a sandbox without an ID (pod %s/%s)", by, m.GetNamespace(), m.GetName())
		}
		claims = append(claims, hostgc.Claim{
			Ref:     hostgc.Ref{Space: hostgc.SpaceSandbox, Key: s.GetId()},
			Witness: witness,
			Detail: fmt.Sprintf("pod %s/%s is listed %s by %s (attempt %d)", m.GetNamespace(), m.GetName(),
				strings.TrimPrefix(s.GetState().String(), "SANDBOX_"), by, m.GetAttempt()),
			State:  state(s.GetState()),
			PodUID: m.GetUid(),
		})
	}
	for _, c := range containers {
		if c.GetPodSandboxId() == "" {
			return nil, fmt.Errorf("%s lists container %q (%s) without its sandbox", by, c.GetId(), c.GetMetadata().GetName())
		}
		claims = append(claims, hostgc.Claim{
			Ref:     hostgc.Ref{Space: hostgc.SpaceSandbox, Key: c.GetPodSandboxId()},
			Witness: witness,
			Detail: fmt.Sprintf("its container %s is listed %s by %s", c.GetMetadata().GetName(),
				strings.TrimPrefix(c.GetState().String(), "CONTAINER_"), by),
		})
	}
	return claims, nil
}

func state(s runtimeapi.PodSandboxState) hostgc.State {
	if s == runtimeapi.PodSandboxState_SANDBOX_READY {
		return hostgc.StateReady
	}
	return hostgc.StateNotReady
}
