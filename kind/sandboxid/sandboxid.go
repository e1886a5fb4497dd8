// Package sandboxid knows how the ID of a pod sandbox looks, and the files that
// are named by it alone.
//
// containerd, CRI-O and cri-dockerd draw 32 random bytes for each sandbox and
// write them as 64 lower-case hex digits; an ID is never used again. It is the
// only identity of a pod's network: name and UID come back with the next
// sandbox of the same pod.
package sandboxid

import "github.com/hostgc/hostgc"

// Len is the length of a sandbox ID in bytes.
const Len = 64

// Valid reports whether s has the form of a sandbox ID.
func Valid(s string) bool {
	if len(s) != Len {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Owner gives the sandbox to which a file belongs that has its ID as name.
func Owner(name string) (hostgc.Ref, bool) {
	if !Valid(name) {
		return hostgc.Ref{}, false
	}
	return hostgc.Ref{Space: hostgc.SpaceSandbox, Key: name}, true
}
