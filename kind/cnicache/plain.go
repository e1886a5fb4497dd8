package cnicache

import (
	"bytes"

	"github.com/hostgc/hostgc/kind/plainjson"
)

// plain reads an entry as libcni writes it: these fields, and no escapes in
// those that matter. It reports false for any other content, which is then
// decode's; what it accepts, it reads as decode does.
func plain(content []byte) (Entry, bool) {
	s := plainjson.New(content)
	var e Entry
	var netns []byte
	ours := false
	s.Object(cacheFields, func(field int) {
		switch field {
		case fieldKind:
			ours = string(s.Text()) == cacheKind
		case fieldContainerID:
			e.ContainerID = string(s.Text())
		case fieldIfName:
			e.IfName = string(s.Text())
		case fieldNetwork:
			e.Network = string(s.Text())
		case fieldNetns:
			// It is the first, wherever it stands in the text.
			if len(e.Netns) > 0 {
				s.GiveUp()
			}
			netns = s.Text()
			e.addNetns(string(netns))
		case fieldArgs:
			s.Array(func() { e.plainArg(&s) })
		case fieldResult:
			e.plainResult(&s, netns)
		default:
			s.Skip()
		}
	})
	return e, s.Done() && ours
}

var cacheFields = []string{"kind", "containerId", "config", "ifName", "networkName", "netns", "cniArgs", "capabilityArgs", "result"}

const (
	fieldKind = iota
	fieldContainerID
	fieldConfig
	fieldIfName
	fieldNetwork
	fieldNetns
	fieldArgs
	fieldCapabilities
	fieldResult
)

// plainArg reads one argument of the CNI call: a key and a value.
func (e *Entry) plainArg(s *plainjson.Scanner) {
	var arg [2][]byte
	n := 0
	s.Array(func() {
		text := s.Text()
		if n < len(arg) {
			arg[n] = text
		}
		n++
	})
	if n == len(arg) {
		e.addArg(arg[0], arg[1])
	}
}

// plainResult reads a result of CNI 0.3.0 or newer, of a sandbox with a network
// namespace that is already known.
func (e *Entry) plainResult(s *plainjson.Scanner, netns []byte) {
	s.Object(resultFields, func(field int) {
		switch field {
		case fieldInterfaces:
			s.Array(func() {
				s.Object(interfaceFields, func(field int) {
					if field != 0 {
						s.Skip()
						return
					}
					if other := s.Text(); !bytes.Equal(other, netns) {
						e.addNetns(string(other))
					}
				})
			})
		case fieldIPs:
			s.Array(func() {
				s.Object(ipFields, func(field int) {
					if field != 0 {
						s.Skip()
						return
					}
					e.addIP(string(s.Text()))
				})
			})
		default:
			s.Skip()
		}
	})
}

// The fields of results up to CNI 1.1.0, sorted as in a file.
var (
	resultFields    = []string{"cniVersion", "dns", "interfaces", "ips", "routes"}
	interfaceFields = []string{"sandbox", "mac", "mtu", "name", "pciID", "socketPath"}
	ipFields        = []string{"address", "gateway", "interface", "version"}
)

const (
	fieldInterfaces = 2
	fieldIPs        = 3
)
