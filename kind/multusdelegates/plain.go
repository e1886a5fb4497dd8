package multusdelegates

import (
	"bytes"

	"github.com/hostgc/hostgc/kind/plainjson"
)

// plain gives the names of the networks, as delegates.networks does, of a file
// as Multus 4 writes it. It reports false for any other, which is then parse's
// to judge; what it accepts, it reads as parse does.
func plain(content []byte) (networks string, ok bool) {
	s := plainjson.New(content)
	var buf [256]byte
	names, count := buf[:0], 0
	s.Array(func() {
		name := plainName(&s)
		if len(name) == 0 || bytes.Contains(name, []byte{','}) {
			s.GiveUp()
		}
		if !listed(names, name) {
			if count++; count > 1 {
				names = append(names, ',')
			}
			names = append(names, name...)
		}
	})
	return string(names), s.Done() && count > 0
}

func listed(names, name []byte) bool {
	for one := range bytes.SplitSeq(names, []byte{','}) {
		if bytes.Equal(one, name) {
			return true
		}
	}
	return false
}

// plainName gives the name that delegate.network gives.
func plainName(s *plainjson.Scanner) []byte {
	var list, conf, own []byte
	s.Object(delegateFields, func(field int) {
		switch field {
		case fieldConf:
			conf = confName(s)
		case fieldConfList:
			list = confName(s)
		case fieldName:
			own = s.Text()
		default:
			s.Skip()
		}
	})
	switch {
	case len(list) > 0:
		return list
	case len(conf) > 0:
		return conf
	}
	return own
}

// confName gives the name in a configuration or a list of them.
func confName(s *plainjson.Scanner) (name []byte) {
	s.Object(confFields, func(field int) {
		switch field {
		case fieldConfName:
			name = s.Text()
		case fieldConfType:
			s.Text()
		default:
			s.Skip()
		}
	})
	return name
}

var (
	delegateFields = []string{"Conf", "ConfList", "CNINetworkConfigList", "Name", "NetworkStatus", "MasterPlugin",
		"IsFilterV4Gateway", "IsFilterV6Gateway", "MacRequest", "IPRequest", "PortMappingsRequest", "BandwidthRequest", "Bytes"}
	confFields = []string{"cniVersion", "ipam", "name", "type", "capabilities", "dns", "plugins", "disableCheck"}
)

const (
	fieldConf     = 0
	fieldConfList = 1
	fieldName     = 3

	fieldConfName = 2
	fieldConfType = 3
)
