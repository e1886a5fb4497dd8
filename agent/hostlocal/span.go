package hostlocal

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
)

// span is one range of addresses, both ends included.
type span struct{ from, to, gateway netip.Addr }

// unbounded stands for the size of any range that no node can use up.
const unbounded = 1 << 32

// size is how many addresses can be given to pods: host-local never gives the
// gateway's.
func (s span) size() uint64 {
	from, to := s.from.As16(), s.to.As16()
	low, borrow := bits.Sub64(binary.BigEndian.Uint64(to[8:]), binary.BigEndian.Uint64(from[8:]), 0)
	high, under := bits.Sub64(binary.BigEndian.Uint64(to[:8]), binary.BigEndian.Uint64(from[:8]), borrow)
	switch {
	case under != 0:
		return 0
	case high > 0 || low >= unbounded:
		return unbounded
	case within(s.gateway, []span{s}):
		return low
	}
	return low + 1
}

// newSpan fills in what host-local takes where nothing is configured: from the
// first address of the subnet, which is the gateway's, to the last that is no
// broadcast address.
func newSpan(r ipRange) (span, bool) {
	subnet, err := netip.ParsePrefix(r.Subnet)
	if err != nil {
		return span{}, false
	}
	first := subnet.Masked().Addr().Next()
	s := span{from: first, to: last(subnet), gateway: first}
	for _, f := range []struct {
		text string
		to   *netip.Addr
	}{{r.RangeStart, &s.from}, {r.RangeEnd, &s.to}, {r.Gateway, &s.gateway}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = netip.ParseAddr(f.text); err != nil || !subnet.Contains(*f.to) {
			return span{}, false
		}
	}
	return s, true
}

func last(subnet netip.Prefix) netip.Addr {
	b := subnet.Masked().Addr().AsSlice()
	for i := subnet.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b) // of a length that it gave itself
	if a.Is4() {
		return a.Prev()
	}
	return a
}
