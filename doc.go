// Package hostgc is the pure core of hostgc, the garbage collector for the
// host state of Kubernetes nodes.
//
// The way through is always the same:
//
//	list objects → hear witnesses → judge → plan → sweep → report
//
// A Kind says which files exist and whose they are. Witnesses (the CRI, the
// API server, /proc, the runtime's state directories) make Claims: "this is
// alive". What they said at one Hearing goes into an Index, and Judge holds an
// Object against it. Every rule of the judge can only keep; garbage is what no
// rule kept, with the evidence of absence.
//
// This package does no I/O, reads no clock and writes no log: everything that
// it decides on is passed in, so that a decision can be replayed from a
// recording and tested without a node. The packages around it do the work:
// observe lists and hears, sweep removes, report tells.
package hostgc
