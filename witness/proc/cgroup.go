package proc

import "iter"

// idLength is how many hexadecimal digits the IDs of sandboxes and containers
// have, in containerd, CRI-O and cri-dockerd alike.
const idLength = 64

// ids gives every run of exactly 64 lower-case hexadecimal digits. Cgroup
// paths have the ID bare ("/kubepods/burstable/pod…/<id>") or in the name of a
// scope ("cri-containerd-<id>.scope", "crio-<id>.scope"), and repeat it on each
// line of cgroup v1.
func ids(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(text); i++ {
			if i < len(text) && isHex(text[i]) {
				continue
			}
			if i-start == idLength && !yield(text[start:i]) {
				return
			}
			start = i + 1
		}
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
