package observe

import (
	"context"
	"fmt"
	"slices"

	"github.com/hostgc/hostgc"
)

// hear asks every witness and puts together what the judge is told.
func (n *Node) hear(ctx context.Context, c *control) (hostgc.Hearing, error) {
	var h hostgc.Hearing
	for _, w := range n.Witnesses {
		t, err := n.ask(ctx, w)
		if err != nil {
			return h, err
		}
		h.Testimonies = append(h.Testimonies, t)
	}
	s := n.sum(h.Testimonies)
	if !s.processes && !s.silent {
		t, err := n.askPods(ctx, s)
		if err != nil {
			return h, err
		}
		if t.Witness != "" {
			h.Testimonies = append(h.Testimonies, t)
		}
	}
	terms, err := n.Terms()
	if err != nil {
		return h, fmt.Errorf("reading the clocks: %w", err)
	}
	h.Terms = terms
	h.Controls, err = c.run(ctx, s)
	return h, err
}

// ask hears one witness. Only the end of the whole run is an error: a witness
// that fails is mute, and what it cannot vouch for is kept.
func (n *Node) ask(ctx context.Context, w hostgc.Witness) (hostgc.Testimony, error) {
	t := hostgc.Testimony{Witness: w.Name, Speaks: w.Speaks, Knows: w.Knows}
	answer, err := w.Ask(ctx)
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	t.At, t.Claims, t.Says = n.Now(), answer.Claims, answer.Says
	if err != nil {
		t.Err = err.Error()
	}
	return t, nil
}

// summary is what the witnesses' answers mean taken together.
type summary struct {
	listed    int                 // sandboxes that the runtime lists
	ready     map[string]struct{} // of these, the READY ones
	explained map[string]bool     // UIDs of pods that have a listed sandbox
	processes bool                // /proc shows this node's processes
	silent    bool                // /proc was asked and is mute, so nothing is judged anyway
	proof     string              // how the list is known to be this node's, if it is
}

func (n *Node) sum(testimonies []hostgc.Testimony) summary {
	s := summary{ready: map[string]struct{}{}, explained: map[string]bool{}}
	listed := map[string]bool{}
	for _, t := range testimonies {
		s.silent = s.silent || t.Witness == "proc" && t.Mute()
		for _, c := range t.Claims {
			if c.State == "" {
				continue
			}
			listed[c.Ref.Key] = true
			s.explained[c.PodUID] = true
			if c.State == hostgc.StateReady {
				s.ready[c.Ref.Key] = struct{}{}
			}
		}
	}
	s.listed = len(listed)
	for _, id := range n.Containers() {
		listed[id] = true
	}
	s.processes, s.proof = n.recognise(testimonies, listed)
	return s
}

// recognise finds what ties the runtime's list to this node: a process of a
// listed sandbox or container in /proc, or hostgc's own pod in the list. That
// hostgc sees itself says nothing of /proc: any pod does.
func (n *Node) recognise(testimonies []hostgc.Testimony, listed map[string]bool) (processes bool, proof string) {
	for _, id := range n.Self {
		if listed[id] {
			proof = "hostgc's own pod is in it"
		}
	}
	for _, t := range testimonies {
		if t.Witness != "proc" || t.Mute() {
			continue
		}
		processes = n.Sees()
		for _, c := range t.Claims {
			if c.Ref.Space == hostgc.SpaceSandbox && listed[c.Ref.Key] && !slices.Contains(n.Self, c.Ref.Key) {
				return true, "a process of " + c.Ref.Key + " runs here"
			}
		}
	}
	return processes, proof
}

// askPods hears of the pods on this node, and keeps of what it hears the pods
// that no listed sandbox explains. A pod whose sandbox is listed is no reason
// to keep the files of another sandbox that it had before.
func (n *Node) askPods(ctx context.Context, s summary) (hostgc.Testimony, error) {
	if n.Pods == nil {
		if !n.PodsNeeded {
			return hostgc.Testimony{}, nil
		}
		return hostgc.Testimony{
			Witness: "kubeapi", Speaks: []hostgc.Space{hostgc.SpacePod}, At: n.Now(),
			Err: "not configured, and /proc does not show the host's processes; run in the host's PID namespace (hostPID: true), or give --kubeconfig",
		}, nil
	}
	t, err := n.ask(ctx, *n.Pods)
	if err != nil || t.Mute() {
		return t, err
	}
	known, unexplained := 0, []hostgc.Claim(nil)
	for _, c := range t.Claims {
		if s.explained[c.Ref.Key] {
			known++
			continue
		}
		unexplained = append(unexplained, c)
	}
	if len(s.ready) > 0 && known == 0 {
		t.Err = fmt.Sprintf("it knows none of the pods whose %d sandboxes run here (%s): wrong cluster, or wrong node name (--node)", len(s.ready), t.Says)
	}
	t.Claims = unexplained
	return t, nil
}

// Hear asks every witness once and runs the positive controls.
func (n *Node) Hear(ctx context.Context) (hostgc.Hearing, error) {
	return n.hear(ctx, &control{node: n})
}
