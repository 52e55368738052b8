package cache

import "github.com/watchbed/watchbed/sim/dimension"

// InitialEventsEnd says how a watcher that asked for initial events learns that
// it has them all.
type InitialEventsEnd uint8

const (
	// EndWithInterval waits until the cache is fresh enough, then sends what it
	// holds with the bookmark behind it (setInitialEventsEndBookmarkIfRequested):
	// what was shipped.
	EndWithInterval InitialEventsEnd = iota
	// EndByTimer sends at once what the cache holds, and the bookmark when the
	// bookmark timer finds the cache fresh enough (KEP-3157, steps 2a to 2c).
	// Nobody waits for the cache meanwhile, so nobody asks etcd for progress.
	EndByTimer
)

// ReflectorList says how the cache itself gets its contents.
type ReflectorList uint8

const (
	// ReflectorPages lists in etcd, page by page, and then watches.
	ReflectorPages ReflectorList = iota
	// ReflectorWatchList watches with initial events, and lists if that fails
	// (the gate WatchListClient in the API server, default since Kubernetes 1.35).
	ReflectorWatchList
)

// WatchDelegation says which watches are etcd's to serve.
type WatchDelegation uint8

const (
	// DelegateNoWatch serves all of them from the cache, also the watch of old
	// that gives no option: its initial events may be stale.
	DelegateNoWatch WatchDelegation = iota
	// DelegateUnset sends the watch that gives no option to etcd (KEP-2340, the
	// WATCH table, deferred).
	DelegateUnset
	// DelegateWatches sends all of them to etcd, as for a resource without a
	// watch cache.
	DelegateWatches
)

// InitialEventsBuffer says what becomes of events that are dispatched to a
// watcher while it sends its initial events, when they fill its channel
// (KEP-3157, step 2b).
type InitialEventsBuffer uint8

const (
	// BufferFixed waits within the dispatcher's budget and then ends the watcher.
	// If the bookmark that ends the initial events is in the channel, the watcher
	// is drained before: what was shipped.
	BufferFixed InitialEventsBuffer = iota
	// BufferCloseEnough does not begin until fewer revisions are missing than the
	// channel holds, and sends the client to another API server if that takes
	// longer than Config.CloseEnoughTimeout (the first option for beta). A watcher
	// that is drained ends with the bookmark.
	BufferCloseEnough
	// BufferDynamic doubles the channel as often as it must, until the bookmark
	// was sent (the second).
	BufferDynamic
	// BufferInject sends events between the initial ones (the third, to the
	// letter): an initial event may come after a newer one of the same object.
	BufferInject
	// BufferInjectMerged puts an event in place of the initial event of the same
	// object if that was not sent yet, and sends it otherwise.
	BufferInjectMerged
	// BufferCapped grows up to Config.InitialEventsBytes of keys and values (the
	// fourth).
	BufferCapped
)

// WatchListOptions are the dimensions of KEP-3157.
type WatchListOptions struct {
	InitialEventsEnd InitialEventsEnd
	ReflectorList    ReflectorList
	WatchDelegation  WatchDelegation
	Buffer           InitialEventsBuffer
}

var watchListDimensions = dimension.Table[Options]{
	{Name: "initial-events-end", Values: []string{"interval", "timer"},
		Get: func(o *Options) int { return int(o.WatchList.InitialEventsEnd) },
		Set: func(o *Options, v int) { o.WatchList.InitialEventsEnd = InitialEventsEnd(v) }},
	{Name: "reflector-list", Values: []string{"list", "watch-list"},
		Get: func(o *Options) int { return int(o.WatchList.ReflectorList) },
		Set: func(o *Options, v int) { o.WatchList.ReflectorList = ReflectorList(v) }},
	{Name: "watch-delegation", Values: []string{"none", "unset", "all"},
		Get: func(o *Options) int { return int(o.WatchList.WatchDelegation) },
		Set: func(o *Options, v int) { o.WatchList.WatchDelegation = WatchDelegation(v) }},
	{Name: "initial-events-buffer", Values: []string{"as-shipped", "close-enough", "dynamic", "inject", "inject-merged", "cap"},
		Get: func(o *Options) int { return int(o.WatchList.Buffer) },
		Set: func(o *Options, v int) { o.WatchList.Buffer = InitialEventsBuffer(v) }},
}
