package bed

import (
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// NodeName and NodeIP are the node's. They are the same in each run: every
// run has a network namespace of its own.
const (
	NodeName = "node1"
	NodeIP   = "172.30.0.11"
)

// uplink is the node's only network device. It leads nowhere.
const uplink = "nodebr"

// enterNewNetwork puts the calling thread into a new network namespace with a
// loopback, an address for the node, and a default route, which kubelet and
// CNI plugins want to see.
func enterNewNetwork() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make the node's network namespace: %w", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("set lo up: %w", err)
	}
	bridge := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: uplink}}
	if err := netlink.LinkAdd(bridge); err != nil {
		return fmt.Errorf("add %s: %w", uplink, err)
	}
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(NodeIP), Mask: net.CIDRMask(24, 32)}}
	if err := netlink.AddrAdd(bridge, addr); err != nil {
		return fmt.Errorf("give %s its address: %w", uplink, err)
	}
	if err := netlink.LinkSetUp(bridge); err != nil {
		return fmt.Errorf("set %s up: %w", uplink, err)
	}
	route := &netlink.Route{LinkIndex: bridge.Index, Gw: net.ParseIP("172.30.0.1")}
	if err := netlink.RouteAdd(route); err != nil {
		return fmt.Errorf("add the default route: %w", err)
	}
	return nil
}

// resetNetwork removes every device that a boot would not have: the network
// namespace survives the power cut for the sake of the control plane.
func resetNetwork() error {
	links, err := netlink.LinkList()
	if err != nil {
		return fmt.Errorf("list the node's network devices: %w", err)
	}
	for _, l := range links {
		switch l.Type() {
		case "bridge", "veth", "dummy", "macvlan":
			if l.Attrs().Name != uplink {
				_ = netlink.LinkDel(l) // one end of a veth goes with the other
			}
		}
	}
	return nil
}
