package testbed

import (
	"slices"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
)

// MemoryUse is the maximum that one API server kept at any one step, in bytes of objects.
//
// Counted are the objects of a LIST from its answer until the client has all of
// it, and the slots in use of the result channels of watchers. Not counted are
// the store, which is there anyway; the input channels and the intervals of
// watchers, which hold pointers into it; deep copies, encoders, compression and
// HTTP. A slot counts as a whole object: what it points to is a copy made for
// this watcher, unless the event was dispatched to all of them.
type MemoryUse struct {
	// Lists are the objects in answers to LISTs, Streams those in channels.
	Lists, Streams int64
	// Temporary is Lists with what it takes to make such answers.
	Temporary int64
}

var (
	listBytes = metric.New("list_response_bytes", metric.Bytes,
		"maximum bytes of objects in LIST answers that an API server was sending at one time, in each run")
	listTemporaryBytes = metric.New("list_temporary_bytes", metric.Bytes,
		"what KEP-3157 says such answers take: five times those from etcd, three times those from the cache")
	streamBytes = metric.New("watch_channel_bytes", metric.Bytes,
		"maximum bytes of objects in the channels of an API server's watchers at one time, in each run")
)

// memoryCounter counts what the API servers of a run keep.
type memoryCounter struct {
	servers     []topology.APIServer
	objectBytes int64
	use         MemoryUse
}

// Reset begins a run.
func (c *memoryCounter) Reset() { c.use = MemoryUse{} }

// AfterStep counts what an API server keeps after a step of one of its caches.
// Nothing can grow in the steps of other nodes.
func (c *memoryCounter) AfterStep(w *sim.World, a sim.Action) {
	for i := range c.servers {
		server := &c.servers[i]
		if !slices.Contains(server.Caches, a.Node) {
			continue
		}
		var now MemoryUse
		for _, n := range server.Caches {
			w.UnderWay(n, func(first *sim.Message, count int) {
				switch p := first.Payload.(type) {
				case *wire.ListResponse:
					now.Lists += int64(len(p.Items))
					now.Temporary += int64(cache.Taken(p))
				case *wire.WatchEvent:
					now.Streams += int64(count)
				}
			})
		}
		c.use.Lists = max(c.use.Lists, now.Lists*c.objectBytes)
		c.use.Temporary = max(c.use.Temporary, now.Temporary*c.objectBytes)
		c.use.Streams = max(c.use.Streams, now.Streams*c.objectBytes)
	}
}

// BeginJudging records the metrics of the run.
func (c *memoryCounter) BeginJudging(w *sim.World) {
	w.Record(listBytes, c.use.Lists)
	w.Record(listTemporaryBytes, c.use.Temporary)
	w.Record(streamBytes, c.use.Streams)
}
