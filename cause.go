package hostgc

// Causes of a leak, as the shape of what is left tells them. A collector that
// hides the bug behind the garbage is no help, so each has a cure.
const (
	CauseLibcni120     = "libcni-1.2.0"
	CauseDelFailed     = "delegate-del-failed"
	CausePowerLoss     = "power-loss"
	CauseMultusPanic   = "multus-panic"
	CauseUnknownToCRI  = "runtime-forgot"
	CauseEmptyBlocking = "empty-entry-blocks-del"
)

// Diagnosis explains a cause to the one who has to act on it.
type Diagnosis struct {
	What string // what happened
	Cure string // what stops it; empty where nothing does
}

// Diagnose gives the explanation of a cause. The second result is false for
// a cause that it does not know.
func Diagnose(cause string) (Diagnosis, bool) {
	d, ok := map[string]Diagnosis{
		CauseLibcni120: {
			What: "libcni 1.2.0 leaves the cache entry of every network below cniVersion 0.4.0 when the pod is deleted",
			Cure: "upgrade Multus to 4.2.1 or newer (4.1.0 to 4.2.0 carry that libcni), or set the network's cniVersion to 0.4.0 or newer",
		},
		CauseDelFailed: {
			What: "a delegate plugin's CNI DEL failed once, and Multus dropped its own record all the same",
			Cure: "set retryDeleteOnError: true in the Multus configuration, and look for the plugin's error in the runtime's log",
		},
		CausePowerLoss: {
			What: "the node lost power, or crashed, before the file's content reached the disk",
		},
		CauseMultusPanic: {
			What: "the delegates file holds no delegate; Multus panics on it at each CNI DEL and the pod stays Terminating",
			Cure: "look at the pod, then remove the file by hand",
		},
		CauseUnknownToCRI: {
			What: "the runtime lost its record of the sandbox without a CNI DEL: its state was wiped or moved, or the thick Multus daemon was down at the DEL",
			Cure: "drain a node before its runtime's state is removed; keep the Multus daemon running while pods are deleted",
		},
		CauseEmptyBlocking: {
			What: "the runtime's cache entry is empty, and libcni 1.1.2 or older fails every CNI DEL on it: the pod cannot be deleted",
			Cure: "upgrade the container runtime",
		},
	}[cause]
	return d, ok
}
