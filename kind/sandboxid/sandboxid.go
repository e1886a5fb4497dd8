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
	// Without a branch for each digit: which of them are letters no processor
	// foresees.
	var other byte
	for i := range len(s) {
		other |= foreign[s[i]]
	}
	return other == 0
}

// foreign is 1 for each byte that is no lower-case hexadecimal digit.
var foreign = func() (table [256]byte) {
	for i := range table {
		table[i] = 1
	}
	for _, c := range []byte("0123456789abcdef") {
		table[c] = 0
	}
	return table
}()

// Owner gives the sandbox to which a file belongs that has its ID as name.
func Owner(name string) (hostgc.Ref, bool) {
	if !Valid(name) {
		return hostgc.Ref{}, false
	}
	return hostgc.Ref{Space: hostgc.SpaceSandbox, Key: name}, true
}
