// Package build makes the programs of the end-to-end bed from the Go module
// proxy, at pinned versions, into a cache outside the source tree.
//
// The programs cannot be tools of e2e/go.mod: Kubernetes, containerd and
// Multus want different versions of the same modules, and a go.mod selects
// one. So what can be built by `go install program@version` is, and the others
// get a scratch module each, kept in the cache.
package build
