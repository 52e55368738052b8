// Package etcdnode makes a guest that is an etcd a node of the world: the watch path of a release, as it is
// published, behind the simulated server of the same release.
//
// The simulated server has the raft log, and answers reads and writes. What it applies, the guest applies
// in the same step. Streams of watches are the guest's alone. A goroutine of the guest that can run is a loop
// of the node: a step lets one of them run until it waits, so that messages and writes come in between as they
// do between the threads of a server.
//
// The package imports the simulation, and engine, node and protocol of this module. It must never import
// Kubernetes or etcd.
package etcdnode
