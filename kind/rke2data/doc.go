// Package rke2data is the kind of RKE2's old data directories.
//
// Each version of RKE2 unpacks its runtime image into a directory of its own:
//
//	/var/lib/rancher/rke2/data/v1.34.1-rke2r1-8522b4227a96/{bin,charts,.extracted}
//
// about 300 MB, and an upgrade leaves the old one. The name is the image's tag
// and the first 12 hex digits of the SHA-256 of the image's reference (a private
// registry gives a second directory of one version), or the 64 digits of a
// digest. <data-dir>/bin links to the bin of the current one. RKE2 unpacks in
// place: without a lock, a temporary directory or a rename.
//
// What keeps one, and why so many places have to be looked at, is told in
// package datadir; how RKE2's own cleaner fared, in docs/data-dirs.md.
//
// # In another agent
//
// [Clean] is all that RKE2's start-up code, or another agent, has to call, once
// the kubelet is ready. This package needs no client-go, no gRPC and no cobra.
package rke2data
