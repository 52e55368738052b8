package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// IngestionOptions are the options of how events come into the cache.
type IngestionOptions struct {
	ReflectorList reflector.Listing
	WatchRetry    reflector.Retry
	Publication   Publication
	ProgressRV    ProgressRV
	WatchStream   WatchStream
}

var ingestionOptions = option.NewGroup("cache",
	option.SeamOption(reflector.Listings, func(o *IngestionOptions) *reflector.Listing { return &o.ReflectorList }),
	option.SeamOption(reflector.Retries, func(o *IngestionOptions) *reflector.Retry { return &o.WatchRetry }),
	option.SeamOption(Publications, func(o *IngestionOptions) *Publication { return &o.Publication }),
	option.SeamOption(ProgressTakers, func(o *IngestionOptions) *ProgressRV { return &o.ProgressRV }),
	option.SeamOption(WatchStreams, func(o *IngestionOptions) *WatchStream { return &o.WatchStream }),
)

// Publication chooses a Publisher.
type Publication uint8

// Publisher makes a change readable.
type Publisher interface {
	// Reset makes the publisher that of a new process.
	Reset()
	// Event takes a change in, under the lock. It returns what the dispatcher is
	// to be handed.
	Event(env *sim.Env, s *store.Store, in *wire.WatchEvent) store.Event
	// HandOver runs in the next step of the same goroutine, before that event goes
	// to the dispatcher. The lock was free in between.
	HandOver(env *sim.Env, s *store.Store)
	// Clone returns a copy that goes its own way.
	Clone() Publisher
	// Cells visits the cells that the implementation has of its own.
	Cells(visit sim.CellVisitor)
}

// Publications are the ways to make a change readable.
var Publications = option.NewSeam[Publication, func() Publisher]("publication", "when a change can be read").
	Shipped("whole", "version and store change in one step", func() Publisher { return whole{} })

// whole changes version and store in one critical section.
type whole struct{}

func (whole) Reset() {}

func (whole) Event(env *sim.Env, s *store.Store, in *wire.WatchEvent) store.Event {
	return s.ProcessEvent(env, in)
}

func (whole) HandOver(*sim.Env, *store.Store) {}
func (w whole) Clone() Publisher              { return w }
func (whole) Cells(sim.CellVisitor)           {}

// ProgressRV chooses a ProgressTaker.
type ProgressRV uint8

// ProgressTaker sets the resourceVersion to that of a progress notification.
type ProgressTaker interface {
	// Ingested runs when the notification comes in.
	Ingested(env *sim.Env, c *Cache, e *wire.WatchEvent)
	// Dispatched runs when the dispatcher takes it from its channel.
	Dispatched(env *sim.Env, c *Cache, resourceVersion int64)
}

// ProgressTakers are the moments at which progress sets the resourceVersion.
var ProgressTakers = option.NewSeam[ProgressRV, ProgressTaker]("progress-rv", "when a progress notification sets the cache's resourceVersion").
	Shipped("ingested", "when it comes in, like an event", ingested{})

type ingested struct{}

func (ingested) Ingested(env *sim.Env, c *Cache, e *wire.WatchEvent) {
	c.TakeProgress(env, e.ResourceVersion, e.ProgressID)
}

func (ingested) Dispatched(*sim.Env, *Cache, int64) {}

// WatchStream chooses the gRPC stream of etcd on which the cache watches and
// requests progress. etcd answers such a request to all watches of the stream,
// once all of them are synced.
type WatchStream uint8

// WatchStreams give the gRPC metadata that name the stream.
var WatchStreams = option.NewSeam[WatchStream, func(cfg *Config) string]("watch-stream",
	"the gRPC stream on which the cache watches and requests progress").
	Shipped("own", "one of its own (the gate SeparateCacheWatchRPC)", func(cfg *Config) string { return cfg.Metadata })
