package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/dimension"
)

// EmptyHistory is from where a watch may begin while the history is empty, as it
// is after every Replace.
type EmptyHistory uint8

const (
	// EmptyHistoryRefuses: from the list's resourceVersion on.
	EmptyHistoryRefuses EmptyHistory = iota
	// EmptyHistoryOffByOne: from one before it, whose event the watcher then
	// misses (kubernetes #49956).
	EmptyHistoryOffByOne
	// EmptyHistoryTakesAny: from anywhere. What is missing in between shows with
	// the next event only (etcd #20488: demux.Register compared with the newest
	// event that it had, which was none).
	EmptyHistoryTakesAny
)

// DeletionRV is the resourceVersion of a DELETED event.
type DeletionRV uint8

const (
	// DeletionRVOwn is that of the deletion.
	DeletionRVOwn DeletionRV = iota
	// DeletionRVPrevious is the one that the object had before, which a client
	// then goes on from (kubernetes #58545).
	DeletionRVPrevious
)

// Registration is what becomes of a watch that finds the cache started over when
// it has the locks.
type Registration uint8

const (
	// RegistrationRechecked: it ends at once.
	RegistrationRechecked Registration = iota
	// RegistrationUnchecked: it is registered, and never hears of what happened
	// between its interval and the new list (kubernetes #116122).
	RegistrationUnchecked
)

// ZeroRV is how a LIST at resourceVersion "0" is read.
type ZeroRV uint8

const (
	// ZeroRVAny: whatever there is will do.
	ZeroRVAny ZeroRV = iota
	// ZeroRVConsistent: as if it had given none: after parsing both are 0
	// (kubernetes #123676).
	ZeroRVConsistent
)

// ListPrefix is which objects a LIST or WATCH of a prefix without a final "/"
// means: namespaces come so.
type ListPrefix uint8

const (
	// ListPrefixClosed: those below it.
	ListPrefixClosed ListPrefix = iota
	// ListPrefixOpen: those whose key begins so, which lets in its siblings'
	// (kubernetes #125584).
	ListPrefixOpen
)

// Publication is when a change may be read that came with a new resourceVersion.
type Publication uint8

const (
	// PublicationWhole: when the version and the store have it, both in the step
	// that takes the event in.
	PublicationWhole Publication = iota
	// PublicationVersionFirst: the store follows in the next step of the same
	// goroutine, the hand-over to the dispatcher, when the lock was free for
	// others in between.
	PublicationVersionFirst
)

// CurrentRV is whose revision a consistent LIST waits for.
type CurrentRV uint8

const (
	// CurrentRVOwn: the one that etcd answered to itself.
	CurrentRVOwn CurrentRV = iota
	// CurrentRVLastReader: the one that etcd answered to the reader before it.
	// The request is made all the same, for the next one.
	CurrentRVLastReader
)

// ProgressRV is when a progress notification sets the cache's resourceVersion.
type ProgressRV uint8

const (
	// ProgressRVIngested: when it comes in, like an event.
	ProgressRVIngested ProgressRV = iota
	// ProgressRVDispatched: when the dispatcher takes it from its channel. Events
	// that came in meanwhile have moved the version on, and it goes back.
	ProgressRVDispatched
)

// NextPage is the state that the pages of a list after the first show.
type NextPage uint8

const (
	// NextPageExact: that of the first, to which the continue token points.
	NextPageExact NextPage = iota
	// NextPageNewest: the present one, from the token's key on.
	NextPageNewest
)

// GetWait is what a GET does that waits for the cache to be fresh.
type GetWait uint8

const (
	// GetWaitAsks: it has etcd asked for progress, like a LIST.
	GetWaitAsks GetWait = iota
	// GetWaitSilent: it does not count among those that wait. On a quiet range it
	// times out (kubernetes #123674, where the lists of one object that went the
	// same way, WaitUntilFreshAndGet, were found to hang).
	GetWaitSilent
)

// FreshnessLock is what a WatchList does with the cache's lock while it waits for
// the cache to be fresh.
type FreshnessLock uint8

const (
	// FreshnessLockReleased: nothing keeps events out.
	FreshnessLockReleased FreshnessLock = iota
	// FreshnessLockHeld: it holds a read lock of its own beside the one that
	// cond.Wait gives back. The next event waits for the write lock, and whoever
	// wants to read waits behind that, the WatchList included: nothing moves any
	// more (kubernetes #117137).
	FreshnessLockHeld
)

// Teardown is what becomes of watches when their cache is replaced by a new one,
// as that of a custom resource is whose definition changed.
type Teardown uint8

const (
	// TeardownEnds: they end.
	TeardownEnds Teardown = iota
	// TeardownStrands: they stay open, and nobody sends anything on them any more
	// (kubernetes #78029).
	TeardownStrands
)

// WatchStream is the gRPC stream of etcd on which the cache watches and asks for
// progress. etcd answers such a request to all watches of the stream, once all of
// them are synced.
type WatchStream uint8

const (
	// WatchStreamOwn is the one that Config.Metadata says.
	WatchStreamOwn WatchStream = iota
	// WatchStreamOfCaches: all caches of the client have one together
	// (kubernetes #114458).
	WatchStreamOfCaches
	// WatchStreamOfAll: the one of every watch that has no metadata
	// (kubernetes #123532).
	WatchStreamOfAll
)

// metadata is the gRPC metadata that makes it so.
func (s WatchStream) metadata(own string) string {
	switch s {
	case WatchStreamOfCaches:
		return "source=cache"
	case WatchStreamOfAll:
		return ""
	}
	return own
}

// SnapshotOn says which changes leave a snapshot behind.
type SnapshotOn uint8

const (
	// SnapshotOnAll: each of them.
	SnapshotOnAll SnapshotOn = iota
	// SnapshotOnPuts: not a deletion. A read at its resourceVersion is served from
	// the snapshot before it, in which the object is still there.
	SnapshotOnPuts
)

// Defects are the dimensions in which watch caches were once wrong, or easily
// could be; the zero value is a healthy one. Each is a branch at the place where
// the original had it, and brings no yield point of its own.
type Defects struct {
	EmptyHistory  EmptyHistory
	DeletionRV    DeletionRV
	Registration  Registration
	ZeroRV        ZeroRV
	ListPrefix    ListPrefix
	Publication   Publication
	CurrentRV     CurrentRV
	GetWait       GetWait
	FreshnessLock FreshnessLock
	Teardown      Teardown
	NextPage      NextPage
	SnapshotOn    SnapshotOn
	WatchStream   WatchStream
	ProgressRV    ProgressRV
}

var defectDimensions = dimension.Table[Options]{
	{Name: "empty-history", Values: []string{"refuses-older", "off-by-one", "takes-any"},
		Get: func(o *Options) int { return int(o.Defects.EmptyHistory) },
		Set: func(o *Options, v int) { o.Defects.EmptyHistory = EmptyHistory(v) }},
	{Name: "deletion-rv", Values: []string{"own", "previous"},
		Get: func(o *Options) int { return int(o.Defects.DeletionRV) },
		Set: func(o *Options, v int) { o.Defects.DeletionRV = DeletionRV(v) }},
	{Name: "registration", Values: []string{"rechecked", "unchecked"},
		Get: func(o *Options) int { return int(o.Defects.Registration) },
		Set: func(o *Options, v int) { o.Defects.Registration = Registration(v) }},
	{Name: "zero-rv", Values: []string{"any", "consistent"},
		Get: func(o *Options) int { return int(o.Defects.ZeroRV) },
		Set: func(o *Options, v int) { o.Defects.ZeroRV = ZeroRV(v) }},
	{Name: "list-prefix", Values: []string{"closed", "open"},
		Get: func(o *Options) int { return int(o.Defects.ListPrefix) },
		Set: func(o *Options, v int) { o.Defects.ListPrefix = ListPrefix(v) }},
	{Name: "publication", Values: []string{"whole", "version-first"},
		Get: func(o *Options) int { return int(o.Defects.Publication) },
		Set: func(o *Options, v int) { o.Defects.Publication = Publication(v) }},
	{Name: "current-rv", Values: []string{"own", "last-reader"},
		Get: func(o *Options) int { return int(o.Defects.CurrentRV) },
		Set: func(o *Options, v int) { o.Defects.CurrentRV = CurrentRV(v) }},
	{Name: "get-wait", Values: []string{"asks", "silent"},
		Get: func(o *Options) int { return int(o.Defects.GetWait) },
		Set: func(o *Options, v int) { o.Defects.GetWait = GetWait(v) }},
	{Name: "freshness-lock", Values: []string{"released", "held"},
		Get: func(o *Options) int { return int(o.Defects.FreshnessLock) },
		Set: func(o *Options, v int) { o.Defects.FreshnessLock = FreshnessLock(v) }},
	{Name: "teardown", Values: []string{"ends-watches", "strands-watches"},
		Get: func(o *Options) int { return int(o.Defects.Teardown) },
		Set: func(o *Options, v int) { o.Defects.Teardown = Teardown(v) }},
	{Name: "next-page", Values: []string{"exact", "newest"},
		Get: func(o *Options) int { return int(o.Defects.NextPage) },
		Set: func(o *Options, v int) { o.Defects.NextPage = NextPage(v) }},
	{Name: "watch-stream", Values: []string{"own", "of-caches", "of-all"},
		Get: func(o *Options) int { return int(o.Defects.WatchStream) },
		Set: func(o *Options, v int) { o.Defects.WatchStream = WatchStream(v) }},
	{Name: "snapshot-on", Values: []string{"all", "puts"},
		Get: func(o *Options) int { return int(o.Defects.SnapshotOn) },
		Set: func(o *Options, v int) { o.Defects.SnapshotOn = SnapshotOn(v) }},
	{Name: "progress-rv", Values: []string{"ingested", "dispatched"},
		Get: func(o *Options) int { return int(o.Defects.ProgressRV) },
		Set: func(o *Options, v int) { o.Defects.ProgressRV = ProgressRV(v) }},
}

// lastReaders keeps the revision that etcd answered to a reader for the next one,
// and returns the one that was kept before (CurrentRVLastReader).
func (w *watchCache) lastReaders(revision int64) int64 {
	kept := w.answeredRevision
	w.answeredRevision = revision
	if kept == 0 {
		return revision
	}
	return kept
}

// listPrefix is the prefix of the objects that a LIST or WATCH means.
func (c *Cache) listPrefix(prefix string) string {
	if c.cfg.Defects.ListPrefix == ListPrefixOpen {
		return prefix
	}
	return preparePrefix(prefix)
}

// snapshotOf is the resourceVersion of the snapshot that an exact read is served
// from: its own, but for NextPageNewest.
func (c *Cache) snapshotOf(env *sim.Env, r *read) int64 {
	if r.start == "" || c.cfg.Defects.NextPage == NextPageExact || c.watchCache.resourceVersion <= r.exact {
		return r.exact
	}
	if env.Noting() {
		env.Say("goes on with a list of resourceVersion " + number(r.exact) + " in the state at " + number(c.watchCache.resourceVersion))
	}
	return c.watchCache.resourceVersion
}

// deadlocks reports whether an event cannot get the lock, because a WatchList
// keeps it while it waits (FreshnessLockHeld).
func (c *Cache) deadlocks() bool {
	if c.cfg.Defects.FreshnessLock == FreshnessLockReleased {
		return false
	}
	for i := range c.reads {
		if r := &c.reads[i]; r.watcher != nil && (r.state == readWaiting || r.state == readWoken) {
			return true
		}
	}
	return false
}
