// Package multusdelegates is the kind multus-delegates: Multus' record of the
// networks that a pod has.
//
// At the beginning of an ADD Multus writes the configurations of all delegates
// of the pod, a JSON array, to
//
//	<cniDir>/<sandbox>
//
// At a DEL it reads them back, calls each delegate, and removes the file even
// if a delegate failed. It stays for good where
//
//   - the runtime forgot the sandbox, or the thick daemon was down at the DEL
//     (the shim reports success), so that no DEL reached Multus;
//   - a crash emptied it: then the DEL calls nobody and removes nothing.
//
// A file that decodes to no delegate, null or [], is a trap of its own: Multus
// panics on it at each DEL and the pod stays Terminating. It is evidence of a
// bug that a person should see, so it is reported and kept.
//
// The file names no pod. What keeps it is its sandbox alone, and the name is
// all the identity there is. An array of anything but delegates is another's.
package multusdelegates

import (
	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/sandboxid"
	"github.com/hostgc/hostgc/kind/torn"
)

// Name is the kind's name.
const Name = "multus-delegates"

// Kind is the kind for the data directories of Multus, its cniDir.
func Kind(dirs []string) hostgc.Kind {
	return hostgc.Kind{
		Name:    Name,
		Doc:     "Multus' records of the networks of a pod",
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
	if networks, ok := plain(content); ok {
		o.Owner.Network = networks
		return
	}
	delegates, err := parse(content)
	switch {
	case torn.Damaged(err):
	case err != nil:
		o.Flaw = "not ours: " + err.Error()
	case delegates.empty():
		o.Cause = hostgc.CauseMultusPanic
		o.Holds = append(o.Holds, "it holds no delegate, and Multus panics on it at each CNI DEL: remove it by hand after a look at the pod")
	default:
		o.Owner.Network = delegates.networks()
	}
}

func cause(o hostgc.Object, content []byte, _ func(rel string) bool) string {
	if o.Owner.Network == "" { // what told of a network is whole
		if _, err := parse(content); torn.Damaged(err) {
			return hostgc.CausePowerLoss
		}
	}
	return hostgc.CauseUnknownToCRI
}
