// Package bed is a whole Kubernetes node on one machine, for hostgc to be
// tested on: real containerd, runc, CNI plugins, Multus, kubelet and control
// plane, without a container engine, a registry or an uplink.
//
// A Node is a set of private mount, PID, UTS and IPC namespaces, and a network
// namespace that outlives them: killing its PID 1 is a power cut, and Boot
// starts it again from what its disk holds. A Cluster is the control plane; it
// lives in the node's network namespace, outside its other namespaces, so that
// it survives the power cut.
//
// Namespaces belong to threads. The bed keeps two threads locked for as long
// as they are needed: one in the network namespace, from which the control
// plane and the node's PID 1 are started, and one inside the booted node. What
// must happen "in the node" is a function that runs on that thread: it sees
// the node's files, dials its sockets and starts its processes.
//
// Nothing outlives the test. PID 1 and the control plane are killed by the
// kernel when the thread that started them ends (PR_SET_PDEATHSIG), everything
// in the node goes with its PID 1, and a small reaper process, which notices
// the end of the test by the end of a pipe, removes cgroups and files. All
// names hold the run's directory or its random ID, so two runs do not meet.
package bed
