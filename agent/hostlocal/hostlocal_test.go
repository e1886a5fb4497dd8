package hostlocal_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc/agent"
	"github.com/hostgc/hostgc/agent/hostlocal"
)

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		name string
		conf string
		used []string // below /var/lib/cni
		want []agent.Level
	}{
		{"a subnet: without network, broadcast and gateway", `{"name":"n","ipam":{"type":"host-local","subnet":"10.1.0.0/24"}}`,
			[]string{"networks/n/10.1.0.2", "networks/n/10.1.0.254", "networks/n/lock", "networks/n/last_reserved_ip.0", "networks/n/10.2.0.1", "networks/m/10.1.0.3"},
			[]agent.Level{{Place: "n", Free: 251, Total: 253}}},
		{"a range within it", `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24","rangeStart":"10.1.0.10","rangeEnd":"10.1.0.19"}]]}}`,
			[]string{"networks/n/10.1.0.10", "networks/n/10.1.0.20"},
			[]agent.Level{{Place: "n", Free: 9, Total: 10}}},
		{"a gateway within the range", `{"name":"n","ipam":{"type":"host-local","subnet":"10.1.0.0/29","gateway":"10.1.0.6"}}`, nil,
			[]agent.Level{{Place: "n", Free: 5, Total: 5}}},
		{"two ranges are one pool", `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/29"},{"subnet":"10.2.0.0/29"}]]}}`,
			[]string{"networks/n/10.1.0.2", "networks/n/10.2.0.2"},
			[]agent.Level{{Place: "n", Free: 8, Total: 10}}},
		{"two sets: the scarcer one", `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"fd00::/64"}],[{"subnet":"10.1.0.0/29"}]]}}`,
			[]string{"networks/n/10.1.0.2", "networks/n/fd00::2"},
			[]agent.Level{{Place: "n", Free: 4, Total: 5}}},
		{"a small range of IPv6, which has no broadcast", `{"name":"n","ipam":{"type":"host-local","subnet":"fd00::/120"}}`,
			[]string{"networks/n/fd00::a"},
			[]agent.Level{{Place: "n", Free: 253, Total: 254}}},
		{"in a list, with a directory of its own", `{"name":"n","plugins":[{"type":"bridge","ipam":{"type":"host-local","dataDir":"/var/lib/cni/mine","subnet":"10.1.0.0/29"}},{"type":"portmap"}]}`,
			[]string{"mine/n/10.1.0.2", "networks/n/10.1.0.3"},
			[]agent.Level{{Place: "n", Free: 4, Total: 5}}},
		{"delegates of Multus", `{"name":"multus","type":"multus","delegates":[{"name":"d","plugins":[{"ipam":{"type":"host-local","subnet":"10.1.0.0/29"}}]},{"ipam":{"type":"host-local","subnet":"10.2.0.0/29"}}]}`, nil,
			[]agent.Level{{Place: "d", Free: 5, Total: 5}}},
		{"flannel", `{"name":"cbr0","plugins":[{"type":"flannel"}]}`,
			[]string{"networks/cbr0/10.42.0.2"},
			[]agent.Level{{Place: "cbr0", Free: 252, Total: 253}}},
		{"flannel with a file that is not there", `{"name":"cbr0","type":"flannel","subnetFile":"/run/none"}`, nil, nil},
		{"full, and one too many", `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24","rangeStart":"10.1.0.2","rangeEnd":"10.1.0.2"}]]}}`,
			[]string{"networks/n/10.1.0.2"},
			[]agent.Level{{Place: "n", Free: 0, Total: 1}}},
		{"another ipam", `{"name":"n","ipam":{"type":"whereabouts","range":"10.1.0.0/24"}}`, nil, nil},
		{"calico's word in place of a subnet", `{"name":"n","ipam":{"type":"host-local","subnet":"usePodCidr"}}`, nil, nil},
		{"a range outside of its subnet", `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24","rangeStart":"10.2.0.1"}]]}}`, nil, nil},
		{"a range that ends before it begins", `{"name":"n","ipam":{"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24","rangeStart":"10.1.0.9","rangeEnd":"10.1.0.3"}]]}}`, nil, nil},
		{"no name", `{"ipam":{"type":"host-local","subnet":"10.1.0.0/24"}}`, nil, nil},
		{"no JSON", `{`, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := fstest.MapFS{
				"etc/cni/net.d/10-a.conflist": {Data: []byte(c.conf)},
				"etc/cni/net.d/20-b.conflist": {Data: []byte(c.conf)}, // the same network twice is one
				"etc/cni/net.d/README":        {Data: []byte(`{"name":"x","ipam":{"type":"host-local","subnet":"10.9.0.0/24"}}`)},
				"run/flannel/subnet.env":      {Data: []byte("FLANNEL_NETWORK=10.42.0.0/16\nFLANNEL_SUBNET=10.42.0.1/24\nFLANNEL_IPV6_SUBNET=broken\n")},
			}
			for _, u := range c.used {
				node["var/lib/cni/"+u] = &fstest.MapFile{}
			}
			for i := range c.want {
				c.want[i].Resource = agent.IPs
			}
			got := hostlocal.Levels(node, []string{"/etc/cni/net.d", "/etc/cni/multus"})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHugeConfigurationIsNotRead(t *testing.T) {
	conf := fmt.Appendf(nil, `{"name":"n","ipam":{"type":"host-local","subnet":"10.1.0.0/24"},"x":"%01048576d"}`, 1)
	if got := hostlocal.Levels(fstest.MapFS{"c/a.conf": {Data: conf}}, []string{"/c"}); got != nil {
		t.Errorf("%v", got)
	}
}
