// Package multusresults is the kind multus-results: the cache entries of the
// networks to which Multus attached a pod.
//
// Multus calls each delegate through libcni and gives it its own cache, so
// after each ADD that succeeded there is
//
//	<cniDir>/results/<network>-<sandbox>-<interface>
//
// and the DEL removes it. It stays for good, one file a pod and network, where
//
//   - libcni 1.2.0, in Multus 4.1.0 to 4.2.0, leaves the entry of each conflist
//     below 0.4.0 behind although the DEL succeeded (multus-cni#1488, 300,000
//     files and no inode left);
//   - a delegate's DEL failed: Multus drops its own record of the pod all the
//     same, and once the pod object is gone nobody calls the delegate again;
//   - a crash emptied the delegates file or the entry itself;
//   - the runtime forgot the sandbox, and no DEL came at all.
//
// What keeps an entry: its sandbox, a process in its network namespace, or its
// pod. A live one must never go: Multus' CNI GC takes what has no entry for
// dead and frees the running pod's address.
//
// Only Multus writes here, and only for pods, so a name of the right shape is
// identity enough where a crash has left no content. Content that decodes has
// to agree with the name.
package multusresults

import (
	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/cnicache"
	"github.com/hostgc/hostgc/kind/torn"
)

// Name is the kind's name.
const Name = "multus-results"

// Kind is the kind for the results directories of Multus, <cniDir>/results.
func Kind(dirs []string) hostgc.Kind {
	return hostgc.Kind{
		Name:    Name,
		Doc:     "cache entries of the networks to which Multus attached pods",
		Names:   cnicache.Names,
		Dirs:    dirs,
		Mode:    hostgc.ModeEnforce,
		Age:     hostgc.DefaultAge,
		Match:   cnicache.Match,
		Owner:   cnicache.Owner,
		Inspect: inspect,
		Cause:   cause,
	}
}

func inspect(o *hostgc.Object, content []byte) {
	name, _ := cnicache.ParseName(o.Name)
	entry, err := cnicache.Parse(content)
	entry.Fill(o, name)
	switch {
	case torn.Damaged(err):
	case err != nil:
		o.Flaw = "not ours: " + err.Error()
	default:
		o.Flaw = entry.Disagreement(name)
	}
}

func cause(o hostgc.Object, content []byte, beside func(rel string) bool) string {
	if o.Owner.Pod == "" { // what told of a pod is whole
		if _, err := cnicache.Parse(content); torn.Damaged(err) {
			return hostgc.CausePowerLoss
		}
	}
	if beside("../" + o.Owner.Sandbox) { // the delegates file
		return hostgc.CauseUnknownToCRI
	}
	if config := cnicache.ConfigOf(content); config.List && config.Below040() {
		return hostgc.CauseLibcni120
	}
	return hostgc.CauseDelFailed
}
