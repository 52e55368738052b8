//go:build wasip1

// Etcdguest is the watch path of an etcd server: etcd's mvcc store with its watchable store, and v3rpc's watch
// server, unmodified, behind a raft log that is elsewhere. It is compiled for WebAssembly and run by package
// engine.
//
// What comes in and goes out are messages (package protocol). The guest itself adds what stands around these
// packages in a server: gRPC streams, a backend in memory in place of bbolt, and who leads. It must never
// decide anything that they decide.
package main

import (
	"runtime/debug"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/etcdpb"
)

func main() {
	// No lifetime is long enough for garbage to matter, unless it fills the memory.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	s := &server{streams: map[uint32]*etcdpb.Stream{}}
	for {
		s.receive(protocol.Reader{Bytes: protocol.Receive()})
	}
}

// memoryLimit is what the guest may have before it collects garbage, in bytes.
const memoryLimit = 192 << 20
