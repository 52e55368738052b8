// Package clusternode makes a whole etcd server a node of the world: a member of a cluster, whose raft messages, disk,
// clock, timers, random numbers and goroutines the world decides.
//
// Clients ask it by messages of package wire, and by those of this package for the APIs that the simulated etcd does
// not have. Members speak to each other on streams and calls of the world, as rafthttp has them: two streams to each
// other member, a call for each snapshot and for each HTTP request. What a member writes is on its disk (package disk),
// which outlives its process.
//
// The package imports the simulation, and disk, engine, node and protocol of this module. It must never import etcd.
package clusternode
