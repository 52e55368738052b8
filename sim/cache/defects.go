package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
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

// CurrentRV is whose revision a consistent LIST waits for.
type CurrentRV uint8

const (
	// CurrentRVOwn: the one that etcd answered to itself.
	CurrentRVOwn CurrentRV = iota
	// CurrentRVLastReader: the one that etcd answered to the reader before it.
	// The request is made all the same, for the next one.
	CurrentRVLastReader
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
	DeletionRV    store.DeletionRV
	ZeroRV        ZeroRV
	ListPrefix    ListPrefix
	CurrentRV     CurrentRV
	GetWait       GetWait
	FreshnessLock FreshnessLock
	NextPage      NextPage
	SnapshotOn    SnapshotOn
}

var defectOptions = option.NewGroup("cache",
	option.SeamOption(store.Deletions, func(o *Options) *store.DeletionRV { return &o.Defects.DeletionRV }),
	option.Choice("zero-rv", func(o *Options) *ZeroRV { return &o.Defects.ZeroRV },
		"how a LIST at resourceVersion 0 is read",
		option.Val("any", "from what the cache has"),
		option.Val("consistent", "like one without resourceVersion (kubernetes#123676)")),
	option.Choice("list-prefix", func(o *Options) *ListPrefix { return &o.Defects.ListPrefix },
		`which objects a LIST or WATCH of a prefix without a final "/" means`,
		option.Val("closed", "those below it"),
		option.Val("open", "those whose key begins with it, siblings included (kubernetes#125584)")),
	option.Choice("current-rv", func(o *Options) *CurrentRV { return &o.Defects.CurrentRV },
		"which revision a consistent LIST waits for",
		option.Val("own", "the one that etcd answered to it"),
		option.Val("last-reader", "the one that etcd answered to the reader before it")),
	option.Choice("get-wait", func(o *Options) *GetWait { return &o.Defects.GetWait },
		"whether progress is requested while a GET waits",
		option.Val("asks", "yes, as for a LIST"),
		option.Val("silent", "no: on a quiet range the GET times out (kubernetes#123674)")),
	option.Choice("freshness-lock", func(o *Options) *FreshnessLock { return &o.Defects.FreshnessLock },
		"whether a WatchList holds the cache's read lock while it waits for freshness",
		option.Val("released", "it does not"),
		option.Val("held", "it does: the next event, and all reads behind it, wait forever (kubernetes#117137)")),
	option.Choice("next-page", func(o *Options) *NextPage { return &o.Defects.NextPage },
		"which state later pages of a list show",
		option.Val("exact", "that of the first page"),
		option.Val("newest", "the present one")),
	option.Choice("snapshot-on", func(o *Options) *SnapshotOn { return &o.Defects.SnapshotOn },
		"which changes leave a snapshot",
		option.Val("all", "each"),
		option.Val("puts", "all but deletions: a read at a deletion's resourceVersion shows the object")),
)

// lastReaders keeps the revision that etcd answered to a reader for the next one,
// and returns the one that was kept before (CurrentRVLastReader).
func (c *Cache) lastReaders(revision int64) int64 {
	kept := c.answeredRevision
	c.answeredRevision = revision
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
	return store.PreparePrefix(prefix)
}

// snapshotOf is the resourceVersion of the snapshot that an exact read is served
// from: its own, but for NextPageNewest.
func (c *Cache) snapshotOf(env *sim.Env, r *read) int64 {
	if r.start == "" || c.cfg.Defects.NextPage == NextPageExact || c.store.ResourceVersion(env) <= r.exact {
		return r.exact
	}
	if env.Noting() {
		env.Say("goes on with a list of resourceVersion " + number(r.exact) + " in the state at " + number(c.store.ResourceVersion(env)))
	}
	return c.store.ResourceVersion(env)
}

// leaves reports whether a change leaves a snapshot behind.
func (s SnapshotOn) leaves(in *wire.WatchEvent) bool {
	return s == SnapshotOnAll || in.Type != wire.Deleted
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
