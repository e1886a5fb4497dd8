// Package cri hears the container runtimes of a node: the witness that knows
// every pod sandbox.
//
// A node can have more than one runtime, and each knows only its own
// sandboxes. So every CRI socket that exists has to give its whole list, or
// the witness is mute: a sandbox missing from a list means nothing unless all
// lists are there. The sockets are looked for again at each hearing, for a
// second runtime may have come since.
//
// It speaks CRI v1 by cri-api and grpc directly.
package cri
