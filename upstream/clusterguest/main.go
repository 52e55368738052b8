//go:build wasip1

// Clusterguest is a member of a cluster of etcd: the whole EtcdServer, with its raft node, WAL, snapshots, bbolt,
// lessor, compactor and membership, and its v3rpc services, unmodified. It is compiled for WebAssembly and run by
// package engine.
//
// What comes in and goes out are messages (package protocol). The guest itself adds what stands around an EtcdServer in
// a process: the configuration, gRPC in front of the services, and HTTP and the streams of raft between members, for
// which package rafthttp is replaced. It must never decide anything that etcd decides.
package main

import (
	"runtime/debug"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func main() {
	// No lifetime is long enough for garbage to matter, unless it fills the memory.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	m := newMember()
	for {
		m.receive(protocol.Reader{Bytes: protocol.Receive()})
	}
}

// memoryLimit is what the guest may have before it collects garbage, in bytes. It leaves room for what is no garbage
// and large: a mapping of a database, and the next one.
const memoryLimit = 128 << 20
