// Package flanneldelegates is the kind flannel-delegates: the flannel plugin's
// record of the configuration that it passed on.
//
// The flannel CNI plugin makes no interface itself. It renders a configuration
// for the bridge plugin from the node's subnet and keeps it for the DEL in
//
//	<dataDir>/<sandbox>
//
// The DEL removes it, unless the delegate fails. It stays for good where the
// runtime forgot the sandbox and no DEL came, or where a crash emptied it, so
// that a DEL has nothing to pass on.
//
// The file names no pod. What keeps it is its sandbox alone. Content that
// decodes has to be the configuration of one plugin. The node's own subnet
// file, /run/flannel/subnet.env, is no business of this kind.
package flanneldelegates

import (
	"errors"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/sandboxid"
	"github.com/hostgc/hostgc/kind/torn"
)

// Name is the kind's name.
const Name = "flannel-delegates"

// Kind is the kind for the data directories of the flannel plugin.
func Kind(dirs []string) hostgc.Kind {
	return hostgc.Kind{
		Name:    Name,
		Doc:     "configurations that the flannel plugin passed on",
		Names:   "<64 hex digits>",
		Dirs:    dirs,
		Mode:    hostgc.ModeEnforce,
		Age:     hostgc.DefaultAge,
		Match:   sandboxid.Valid,
		Owner:   sandboxid.Owner,
		Inspect: inspect,
		Cause:   cause,
	}
}

func inspect(o *hostgc.Object, content []byte) {
	o.Owner.Sandbox = o.Name
	network, err := parse(content)
	o.Owner.Network = network
	if err != nil && !torn.Damaged(err) {
		o.Flaw = "not ours: " + err.Error()
	}
}

func cause(_ hostgc.Object, content []byte, _ func(rel string) bool) string {
	if _, err := parse(content); torn.Damaged(err) {
		return hostgc.CausePowerLoss
	}
	return hostgc.CauseUnknownToCRI
}

var errNoConf = errors.New("it is JSON, but no configuration of a CNI plugin")

// parse gives the network's name. A torn.Damage is the error where the content
// is no JSON, any other where flannel did not write it: it never leaves out the
// type.
func parse(content []byte) (string, error) {
	var conf struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	err := torn.Decode(content, &conf)
	switch {
	case torn.Damaged(err):
		return "", err
	case err != nil || conf.Type == "":
		return "", errNoConf
	}
	return conf.Name, nil
}
