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
	EqualProgress EqualProgress
	WatchStream   WatchStream
}

var ingestionOptions = option.NewGroup("cache",
	option.SeamOption(reflector.Listings, func(o *IngestionOptions) *reflector.Listing { return &o.ReflectorList }),
	option.SeamOption(reflector.Retries, func(o *IngestionOptions) *reflector.Retry { return &o.WatchRetry }),
	option.SeamOption(Publications, func(o *IngestionOptions) *Publication { return &o.Publication }),
	option.SeamOption(ProgressTakers, func(o *IngestionOptions) *ProgressRV { return &o.ProgressRV }),
	option.SeamOption(EqualProgresses, func(o *IngestionOptions) *EqualProgress { return &o.EqualProgress }),
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
	// to the dispatcher. The lock was free in between. It reports whether reads that wait
	// are to look again.
	HandOver(env *sim.Env, s *store.Store) bool
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

func (whole) HandOver(*sim.Env, *store.Store) bool { return false }
func (w whole) Clone() Publisher                   { return w }
func (whole) Cells(sim.CellVisitor)                {}

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

// EqualProgress is the value of the option equal-progress.
type EqualProgress uint8

// EarlyReturn is what UpdateResourceVersion makes of a resourceVersion that the cache has already. The reflector
// calls it with each progress notification, and once more after each change with the version of that change.
type EarlyReturn struct {
	// Returns: it returns early. No read is woken, and the dispatcher gets no entry.
	Returns bool
	// Wakes: a change has left it to this call to wake the reads that wait.
	Wakes bool
}

// EqualProgresses is the seam of progress that says nothing new.
var EqualProgresses = option.NewSeam[EqualProgress, EarlyReturn]("equal-progress",
	"what the cache makes of progress up to the resourceVersion that it has already").
	Shipped("taken", "the same as of other progress: reads look again, and the dispatcher gets an entry", EarlyReturn{})

// EqualProgressSkipped is what UpdateResourceVersion of k8s.io/apiserver v0.38.0-alpha.2 does.
var EqualProgressSkipped = EqualProgresses.Register("skipped", "nothing: reads go on to wait, and the dispatcher gets no entry, after changes neither: as v0.38.0-alpha.2 ships it",
	EarlyReturn{Returns: true})

// entriesOfChange is how many entries the dispatcher gets of a change: the second is that of the call with its version.
func (r EarlyReturn) entriesOfChange() int {
	if r.Returns {
		return 1
	}
	return 2
}
