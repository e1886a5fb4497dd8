package cnicache

import (
	"unicode"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/sandboxid"
)

// Names is the shape of the names that ParseName takes, for people.
const Names = "<network>-<64 hex digits>-<interface>"

// maxIfName is the longest interface name: the kernel's IFNAMSIZ less its NUL.
const maxIfName = 15

// Name is what the name of a cache file tells.
type Name struct {
	Network string // name of the CNI network
	Sandbox string // the pod sandbox's ID, 64 lower-case hex digits
	IfName  string // the interface inside the sandbox
}

// ParseName takes a cache file's name apart. It reports false for any name
// that libcni would not write for a pod sandbox. It does not allocate.
//
// libcni joins network, container ID and interface by hyphens, and each of the
// three may hold hyphens itself. The last run of -<64 hex>- splits the name: an
// interface name is too short to hold another.
func ParseName(name string) (Name, bool) {
	for end := len(name) - 2; end >= len(name)-1-maxIfName && end > sandboxid.Len; end-- {
		start := end - sandboxid.Len
		if name[end] != '-' || name[start-1] != '-' || !sandboxid.Valid(name[start:end]) {
			continue
		}
		n := Name{Network: name[:start-1], Sandbox: name[start:end], IfName: name[end+1:]}
		return n, validNetwork(n.Network) && validIfName(n.IfName)
	}
	return Name{}, false
}

// validNetwork applies libcni's rule for network names,
// [a-zA-Z0-9][a-zA-Z0-9_.-]*.
func validNetwork(s string) bool {
	for i := range len(s) {
		c := s[i]
		alnum := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alnum && (i == 0 || c != '_' && c != '.' && c != '-') {
			return false
		}
	}
	return s != ""
}

// validIfName applies the kernel's rule for interface names, as libcni does.
// ParseName has seen to the length.
func validIfName(s string) bool {
	for _, r := range s {
		if r == '/' || r == ':' || unicode.IsSpace(r) {
			return false
		}
	}
	return s != "." && s != ".."
}

// Match reports whether a name is one that ParseName takes.
func Match(name string) bool {
	_, ok := ParseName(name)
	return ok
}

// Owner gives the sandbox to which the cache file of this name belongs.
func Owner(name string) (hostgc.Ref, bool) {
	n, ok := ParseName(name)
	if !ok {
		return hostgc.Ref{}, false
	}
	return hostgc.Ref{Space: hostgc.SpaceSandbox, Key: n.Sandbox}, true
}
