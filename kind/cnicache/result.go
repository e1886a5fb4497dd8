package cnicache

import (
	"encoding/json"
	"strings"

	"github.com/hostgc/hostgc/kind/torn"
)

// result is a plugin's result, of CNI 0.3.0 and newer or, with ip4 and ip6, of
// the versions before.
type result struct {
	Interfaces []struct {
		Sandbox string `json:"sandbox"`
	} `json:"interfaces"`
	IPs []struct {
		Address string `json:"address"`
	} `json:"ips"`
	IP4 address `json:"ip4"`
	IP6 address `json:"ip6"`
}

type address struct {
	IP string `json:"ip"`
}

// addResult takes the addresses from a result, and the namespaces that its
// interfaces are in: older versions of libcni write no netns beside the result.
// What does not decode is left out.
func (e *Entry) addResult(content []byte) {
	var r result
	if len(content) == 0 || torn.Decode(content, &r) != nil {
		return
	}
	for _, i := range r.Interfaces {
		e.addNetns(i.Sandbox)
	}
	for _, ip := range r.IPs {
		e.addIP(ip.Address)
	}
	e.addIP(r.IP4.IP)
	e.addIP(r.IP6.IP)
}

// addIP takes an address in CIDR form.
func (e *Entry) addIP(cidr string) {
	if ip, _, _ := strings.Cut(cidr, "/"); ip != "" {
		e.IPs = append(e.IPs, ip)
	}
}

// Config is what matters of the network configuration in an entry.
type Config struct {
	Known   bool   // it was there and could be read
	Version string // cniVersion
	List    bool   // a conflist; else the configuration of a single plugin
}

// ConfigOf reads the configuration in an entry: base64 in a JSON string.
func ConfigOf(content []byte) Config {
	var file struct {
		Config []byte `json:"config"`
	}
	var conf struct {
		CNIVersion string          `json:"cniVersion"`
		Plugins    json.RawMessage `json:"plugins"`
	}
	if torn.Decode(content, &file) != nil || file.Config == nil || torn.Decode(file.Config, &conf) != nil {
		return Config{}
	}
	return Config{Known: true, Version: conf.CNIVersion, List: conf.Plugins != nil}
}

// Below040 reports whether the configuration is known to be of a CNI version
// before 0.4.0, the first in which a DEL is given the result of the ADD. No
// version means 0.1.0 or 0.2.0.
func (c Config) Below040() bool {
	major, rest, _ := strings.Cut(c.Version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return c.Known && (c.Version == "" || major == "0" && len(minor) == 1 && '0' <= minor[0] && minor[0] < '4')
}
