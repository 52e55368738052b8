package cache

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// Config is what one cache is made of. Fields left at zero take the defaults
// of k8s.io/apiserver; Prefix, KV and Watch have none.
type Config struct {
	Options
	// Prefix of the resource's keys; it ends in "/": "/registry/pods/".
	Prefix string
	// KV is the node that takes unary requests: etcd, or the client before it.
	KV sim.NodeID
	// Watch is the node that takes watches and progress requests: the client.
	Watch sim.NodeID
	// Endpoints is how many members of the etcd cluster the API server was told
	// of, at most MostEndpoints: 1. The version check asks each.
	Endpoints int
	// Metadata goes with the watch and with progress requests, so that both
	// travel on one gRPC stream (the gate SeparateCacheWatchRPC). Empty shares
	// the stream with everybody who has none.
	Metadata string
	// Compactor is the node that knows how far etcd is compacted; 0 if the API
	// server has none.
	Compactor sim.NodeID
	// Process are the nodes that go down when the cache panics, in the order in
	// which they start again; nil is the cache alone.
	Process []sim.NodeID

	// Fields are those by which lists can be selected, none by default.
	Fields []Field

	// ListPageSize is the reflector's, in objects: 10000.
	ListPageSize int64
	// BlockTimeout is how long a read waits for the cache to be fresh: 3 s.
	BlockTimeout sim.Duration
	// ProgressRequestPeriod is the time between two progress requests: 100 ms.
	ProgressRequestPeriod sim.Duration
	// AccumulatePeriod is how long reads are gathered that share one revision
	// read, with RevisionAccumulated: 10 ms.
	AccumulatePeriod sim.Duration
	// NotifyWithin is how long ago the last progress notification may be, with
	// NotifyDetected: 1 s, four intervals of the draft of 2019.
	NotifyWithin sim.Duration
	// FallbackAfter is how long a wait counts as slow, with FallbackByWait: 1 s.
	FallbackAfter sim.Duration
	// KeepPagesFor is how long the rest of a list is kept, with PaginateKept: 60
	// s. KeptPages is how many such rests there may be at a time: 100. The oldest
	// goes first.
	KeepPagesFor sim.Duration
	KeptPages    int
	// DelegatedLimit is how many lists may be with etcd at a time; 0 is no limit,
	// as shipped. More are refused with 429.
	DelegatedLimit int
	// RequestTimeout is after how long a request that comes to etcd only then is
	// not put to it any more: --request-timeout. Here 0, never.
	RequestTimeout sim.Duration
	// RelistDelay is the time between the end of one ListAndWatch and the start
	// of the next: 1 s.
	RelistDelay sim.Duration

	// CompactionPollPeriod is the time between two questions to the compactor:
	// 15 s. ConsistencyCheckPeriod is the least time between two consistency
	// checks: 5 min. UntimedTurns is how often each of the two happens in an
	// untimed run: 2.
	CompactionPollPeriod, ConsistencyCheckPeriod sim.Duration
	UntimedTurns                                 int

	// RingCapacity is how many events the history holds at first, and at least:
	// 100. RingCapacityMax is how many it can grow to when timed: 102400.
	// Untimed it does not grow: small rings are what an explorer wants.
	RingCapacity, RingCapacityMax int
	// EventFreshDuration is how long events shall be kept if RingCapacityMax
	// permits: 75 s.
	EventFreshDuration sim.Duration
	// IncomingCapacity is that of the channel between ingestion and dispatcher:
	// 100. The reflector puts two entries there for each change of an object.
	IncomingCapacity int
	// WatchCapacity is that of each of a watcher's two channels. At zero it
	// follows the history's capacity, as upstream: a second's worth, at least 10,
	// and at most what WatchTrigger says.
	WatchCapacity int
	// WatchTrigger is what the resource's index means to its watchers: without an
	// index their channels hold at most 100 events.
	WatchTrigger WatchTrigger
	// InitialEventsBytes bounds the keys and values in the channel of a watcher that
	// sends its initial events, with BufferCapped: 2 MB, the constant of KEP-3157's
	// goals.
	InitialEventsBytes int
	// CloseEnoughTimeout is how long a watch waits for the cache to be close enough,
	// with BufferCloseEnough: 10 s.
	CloseEnoughTimeout sim.Duration
	// BookmarkPeriod is the time between two bookmarks to one watcher: 60 s.
	BookmarkPeriod sim.Duration
}

func (c *Config) setDefaults() {
	set(&c.Endpoints, 1)
	c.Endpoints = min(c.Endpoints, MostEndpoints)
	set(&c.ListPageSize, 10000)
	set(&c.BlockTimeout, 3*time.Second)
	set(&c.ProgressRequestPeriod, 100*time.Millisecond)
	set(&c.AccumulatePeriod, 10*time.Millisecond)
	set(&c.NotifyWithin, time.Second)
	set(&c.FallbackAfter, time.Second)
	set(&c.KeepPagesFor, time.Minute)
	set(&c.KeptPages, 100)
	set(&c.RelistDelay, time.Second)
	set(&c.CompactionPollPeriod, 15*time.Second)
	set(&c.ConsistencyCheckPeriod, 5*time.Minute)
	set(&c.UntimedTurns, 2)
	set(&c.RingCapacity, 100)
	set(&c.RingCapacityMax, max(c.RingCapacity, 100*1024))
	set(&c.EventFreshDuration, 75*time.Second)
	set(&c.IncomingCapacity, 100)
	set(&c.InitialEventsBytes, 2_000_000)
	set(&c.CloseEnoughTimeout, 10*time.Second)
	set(&c.BookmarkPeriod, time.Minute)
}

func set[T int | int64 | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
