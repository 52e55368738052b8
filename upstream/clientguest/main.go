//go:build wasip1

// Clientguest is a process that has a client of etcd: etcd's clientv3, unmodified, and a key-value store
// that a user's own package makes of it. It is compiled for WebAssembly and run by package engine.
//
// What comes in and goes out are messages (package protocol). The guest itself adds the generated clients of etcd's API
// under clientv3, and one goroutine for each request. It must never decide anything that clientv3 or the user's package
// decides. The command that compiles guests adds a file that sets newKV.
package main

import (
	"runtime/debug"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// newKV is New of the user's package. It may take its time: etcd may be asked before it returns.
var newKV func(*clientv3.Client) (clientv3.KV, error)

func main() {
	// No lifetime is long enough for garbage to matter, unless it fills the memory.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	s := &server{etcd: newEtcd(), made: make(chan struct{})}
	for {
		s.receive(protocol.Reader{Bytes: protocol.Receive()})
	}
}

// memoryLimit is what the guest may have before it collects garbage, in bytes.
const memoryLimit = 192 << 20
