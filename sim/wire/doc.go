// Package wire (unstable) holds the messages that simulated etcd, clients and
// caches exchange, with the names and fields of etcdserverpb and mvccpb, and of
// Kubernetes' storage interface.
//
// They are lean plain values, immutable once sent, that copy, compare and hash
// cheaply: a protobuf message costs 300 ns and seven allocations. Translation
// to protobuf happens at the edges, outside the simulation. Times, leases and
// cluster headers that no property looks at are left out. Each message is a
// sim.Payload.
//
// The package must never import anything but sim.
package wire
