package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// sandbox is one sandbox whose files are made. The formats are those of Multus
// 4.2.3 with two networks, as recorded on a real node.
type sandbox struct {
	id, pod, uid, netns string
	n                   int
}

// sandboxes gives sandboxes without end, the same for the same seed.
func sandboxes(seed uint64) func() sandbox {
	random, n := rand.New(rand.NewPCG(seed, 0)), 0 // #nosec G404: test data
	digits := func(bytes int) string {
		b := make([]byte, bytes)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return hex.EncodeToString(b)
	}
	uuid := func() string {
		h := digits(16)
		return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
	}
	return func() sandbox {
		n++
		return sandbox{id: digits(32), pod: "web-865c994fd4-" + digits(3)[:5], uid: uuid(), netns: "/var/run/netns/cni-" + uuid(), n: n}
	}
}

const (
	clusterConf = `{"cniVersion":"1.0.0","name":"cbr0","plugins":[{"bridge":"cni0","hairpinMode":true,"ipam":{"ranges":[[{"subnet":"10.42.0.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}],"type":"host-local"},"isGateway":true,"type":"bridge"},{"capabilities":{"portMappings":true},"type":"portmap"}]}`
	secondConf  = `{"cniVersion":"1.0.0","name":"%s","type":"bridge","bridge":"br2","ipam":{"type":"host-local","ranges":[[{"subnet":"10.99.0.0/24"}]]}}`
)

// results is the cache entry of one attachment. Each argument stands in it
// twice, as Multus writes it.
func (s sandbox) results(network, ifName string) string {
	conf := clusterConf
	if network != "cbr0" {
		conf = fmt.Sprintf(secondConf, network)
	}
	args := fmt.Sprintf(`["K8S_POD_NAMESPACE","default"],["K8S_POD_NAME",%q],["K8S_POD_INFRA_CONTAINER_ID",%q],["K8S_POD_UID",%q]`, s.pod, s.id, s.uid)
	return fmt.Sprintf(`{"kind":"cniCacheV1","containerId":%q,"config":%q,"ifName":%q,"networkName":%q,"netns":%q,"cniArgs":[["IgnoreUnknown","true"],%s,["IgnoreUnknown","1"],%s],`+
		`"result":{"cniVersion":"1.0.0","interfaces":[{"mac":"f6:df:60:05:8f:9b","name":"cni0"},{"mac":"b2:25:8e:5f:57:a0","name":"vethbbd51534"},{"mac":"1a:4d:a2:93:4b:0a","name":%q,"sandbox":%q}],`+
		`"ips":[{"address":"10.%d.%d.%d/16","gateway":"10.42.0.1","interface":2}],"routes":[{"dst":"0.0.0.0/0"}]}}`,
		s.id, base64.StdEncoding.EncodeToString([]byte(conf)), ifName, network, s.netns, args, args, ifName, s.netns,
		s.n>>16&0xff, s.n>>8&0xff, s.n&0xff)
}

// delegates is Multus' record of both networks.
func (s sandbox) delegates() string {
	const list = `"CNINetworkConfigList":{"Name":"","CNIVersion":"","DisableCheck":false,"DisableGC":false,"LoadOnlyInlinedPlugins":false,"Plugins":null,"Bytes":null}`
	return fmt.Sprintf(`[{"Conf":{"cniVersion":"1.0.0","ipam":{},"name":"cbr0"},"ConfList":{"cniVersion":"1.0.0","name":"cbr0","plugins":[{"ipam":{"type":"host-local"},"type":"bridge"},{"capabilities":{"portMappings":true},"ipam":{},"type":"portmap"}]},%s,"Name":"cbr0","IsFilterV4Gateway":false,"IsFilterV6Gateway":false,"Bytes":%q},`+
		`{"Conf":{"cniVersion":"1.0.0","ipam":{"type":"host-local"},"name":"net2","type":"bridge"},"ConfList":{},%s,"Name":"default/net2","IsFilterV4Gateway":false,"IsFilterV6Gateway":false,"Bytes":%q}]`,
		list, base64.StdEncoding.EncodeToString([]byte(clusterConf)), list, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, secondConf, "net2")))
}
