// Package cnicache reads the cache of libcni: the files in <cacheDir>/results
// that say which network a sandbox was attached to, with which configuration
// and arguments, and what came of it. A CNI DEL needs them.
//
// The runtimes keep theirs in /var/lib/cni/results, the kubelet of dockershim's
// days in /var/lib/cni/cache/results, and Multus, which is a libcni user of its
// own, in <cniDir>/results. The kinds of these directories differ in what they
// demand of an entry before they call it a pod's; name, content and what an
// entry tells of its owner are the same, and are here.
package cnicache
