package cache

import "github.com/watchbed/watchbed/sim/option"

// WatchListOptions are the options of KEP-3157.
type WatchListOptions struct {
	InitialEventsEnd InitialEventsEnd
	ReflectorList    ReflectorList
	WatchDelegation  WatchDelegation
	Buffer           InitialEventsBuffer
}

// InitialEventsEnd says how a watcher that asked for initial events learns that
// it has them all.
type InitialEventsEnd uint8

// Values of the option initial-events-end.
const (
	EndWithInterval InitialEventsEnd = iota
	EndByTimer
)

// ReflectorList says how the cache itself gets its contents.
type ReflectorList uint8

// Values of the option reflector-list.
const (
	ReflectorPages ReflectorList = iota
	ReflectorWatchList
)

// WatchDelegation says which watches etcd serves.
type WatchDelegation uint8

// Values of the option watch-delegation.
const (
	DelegateNoWatch WatchDelegation = iota
	DelegateUnset
	DelegateWatches
)

// InitialEventsBuffer says what becomes of events that are dispatched to a
// watcher while it sends its initial events, when they fill its channel
// (KEP-3157, step 2b).
type InitialEventsBuffer uint8

// Values of the option initial-events-buffer.
const (
	BufferFixed InitialEventsBuffer = iota
	BufferCloseEnough
	BufferDynamic
	BufferInject
	BufferInjectMerged
	BufferCapped
)

var watchListOptions = option.NewGroup("cache",
	option.Choice("initial-events-end", func(o *Options) *InitialEventsEnd { return &o.WatchList.InitialEventsEnd },
		"how a watcher learns that it has all initial events",
		option.Val("interval", "the cache waits until it is fresh, then sends what it has with the bookmark behind it: as shipped"),
		option.Val("timer", "the cache sends at once what it has; the bookmark timer finds the cache fresh enough later (KEP-3157, steps 2a to 2c). No progress is requested meanwhile")),
	option.Choice("reflector-list", func(o *Options) *ReflectorList { return &o.WatchList.ReflectorList },
		"how the cache gets its contents",
		option.Val("list", "it lists in etcd, page by page, and then watches"),
		option.Val("watch-list", "it watches with initial events, and lists if that fails (default since Kubernetes 1.35)")),
	option.Choice("watch-delegation", func(o *Options) *WatchDelegation { return &o.WatchList.WatchDelegation },
		"which watches etcd serves",
		option.Val("none", "none: the initial events of a watch without options may be stale"),
		option.Val("unset", "those without options (KEP-2340, the WATCH table, deferred)"),
		option.Val("all", "all, as for a resource without a watch cache")),
	option.Choice("initial-events-buffer", func(o *Options) *InitialEventsBuffer { return &o.WatchList.Buffer },
		"what becomes of events that fill a watcher's channel while it sends its initial events (KEP-3157, step 2b)",
		option.Val("as-shipped", "the dispatcher waits within its budget and then ends the watcher; it drains it first if the end bookmark is in the channel"),
		option.Val("close-enough", "the watch begins when fewer revisions are missing than the channel holds; after 10 s the client is sent to another API server (first option for beta)"),
		option.Val("dynamic", "the channel doubles until the end bookmark was sent (second option)"),
		option.Val("inject", "events are sent between the initial ones, to the letter of the third option: an initial event may follow a newer one of the same object"),
		option.Val("inject-merged", "an event replaces the initial event of its object if that was not sent yet, and is sent otherwise"),
		option.Val("cap", "the channel grows to 2 MB of keys and values (fourth option)")),
)
