//go:build wasip1

// Guest is an API server's storage of one resource: Kubernetes' cacher and etcd3 store and
// etcd's clientv3, unmodified, in front of an etcd that is elsewhere. It is compiled for
// WebAssembly and run by package engine.
//
// What comes in and goes out are messages (package protocol). The guest itself adds what
// stands around the storage in an API server: one goroutine for each request, the type of
// the objects, and the generated clients of etcd's API under clientv3. It must never decide
// anything that the storage decides.
package main

import (
	"runtime/debug"

	"k8s.io/klog/v2"

	"github.com/watchbed/watchbed/upstream/protocol"
	"github.com/watchbed/watchbed/upstream/protocol/host"
)

func main() {
	// No lifetime is long enough for garbage to matter, unless it fills the memory.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	klog.LogToStderr(false)
	klog.SetOutput(discard{})
	s := &server{etcd: newEtcd()}
	for {
		s.receive(protocol.Reader{Bytes: host.Receive()})
	}
}

// memoryLimit is what the guest may have before it collects garbage, in bytes.
const memoryLimit = 192 << 20

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
