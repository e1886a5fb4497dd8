// Package offline hears files instead of a running node: what crictl and
// kubectl printed, for a rescued disk, a must-gather or a test. They give the
// same claims as the runtime and the API server would.
//
// The files are read anew at each hearing. One that is missing, cut off or
// another command's makes its witness mute. A file that was filtered, or is of
// another node, cannot be told from a whole one here; that is for the positive
// control.
package offline
