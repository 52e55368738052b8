//go:build wasip1

// Guest is an API server's storage of one resource (package apiserver), compiled for WebAssembly and run by package
// engine.
package main

import (
	"iter"
	"runtime/debug"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/klog/v2"

	"github.com/watchbed/watchbed/upstream/guest/apiserver"
	"github.com/watchbed/watchbed/upstream/protocol"
)

func main() {
	// No lifetime is long enough for garbage to matter, unless it fills the memory.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	klog.LogToStderr(false)
	klog.SetOutput(discard{})
	s := apiserver.New(outside{}, (&server{}).serve)
	for {
		s.Receive(protocol.Reader{Bytes: protocol.Receive()})
	}
}

// memoryLimit is what the guest may have before it collects garbage, in bytes.
const memoryLimit = 192 << 20

// server answers clients, as an HTTP server does.
type server struct{}

// serve is in this package under these names since goroutines are known by them: in recordings, and to strategies that
// weigh them.
func (*server) serve(answer func()) {
	go func() { answer() }()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// outside is the host. What it reads of the cacher is in the overlay.
type outside struct{}

func (outside) Send(w *protocol.Writer) { protocol.Send(w) }
func (outside) Seed(seed uint64)        { protocol.Seed(seed) }

// Lock has nothing to do: goroutines switch only where they wait or take a lock, and take none in between.
func (outside) Lock()   {}
func (outside) Unlock() {}

func (outside) Contents(c *cacher.Cacher) (uint64, iter.Seq[runtime.Object]) {
	return c.WatchbedContents()
}
func (outside) Compacted(c *cacher.Cacher) int64 { return c.WatchbedCompacted() }

func (outside) SetHistory(c *cacher.Cacher, least, most int, fresh time.Duration) {
	c.WatchbedHistory(least, most, fresh)
}

func (outside) SetChecks(period time.Duration, panics bool) { cacher.WatchbedChecks(period, panics) }

func (outside) AscendSnapshots(c *cacher.Cacher, f func(uint64, iter.Seq[runtime.Object])) {
	c.WatchbedSnapshots(f)
}
