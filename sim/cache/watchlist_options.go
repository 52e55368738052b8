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

// WatchListOptions are the dimensions of KEP-3157.
type WatchListOptions struct {
	InitialEventsEnd InitialEventsEnd
}

var watchListDimensions = dimension.Table[Options]{
	{Name: "initial-events-end", Values: []string{"interval", "timer"},
		Get: func(o *Options) int { return int(o.WatchList.InitialEventsEnd) },
		Set: func(o *Options, v int) { o.WatchList.InitialEventsEnd = InitialEventsEnd(v) }},
}
