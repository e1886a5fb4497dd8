package datadir

import "cmp"

// Pod is whom a sandbox was made for.
type Pod struct {
	Namespace string
	Name      string
	UID       string
}

// known reports whether it has a name that an operator can use.
func (p Pod) known() bool { return p.Name != "" }

func (p Pod) String() string { return p.Namespace + "/" + p.Name }

// sandboxOf gives the sandbox of a holder, which may be a container.
func (s *search) sandboxOf(holder string) string { return cmp.Or(s.boxes[holder], holder) }

func (s *search) podOf(u Use) Pod { return s.pods[s.sandboxOf(u.Holder)] }

// words says what uses a directory and how to end that.
func (s *search) words(u Use) string {
	if u.Holder == "" {
		return u.What + "; " + u.Cure
	}
	box := s.sandboxOf(u.Holder)
	pod, ok := s.pods[box]
	if !ok || !pod.known() {
		return "a pod whose name is not known (sandbox " + box + ") " + u.What + ": delete the pod to let it go (crictl inspectp " + short(box) + " names it)"
	}
	return "pod " + pod.String() + " (sandbox " + short(box) + ") " + u.What + ": delete the pod to let it go"
}

// short is as much of an ID as crictl needs and people read.
func short(id string) string {
	if len(id) > 13 {
		return id[:13]
	}
	return id
}
