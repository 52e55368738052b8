package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// Config is what one informer is made of. Fields left at zero take the defaults
// of client-go; Prefix and Servers have none.
type Config struct {
	// Prefix of the resource's keys; it ends in "/": "/registry/pods/".
	Prefix string
	// Servers are the API servers behind one address. The informer begins with
	// the first, and moves to the next when its connection breaks or its process
	// restarts.
	Servers []sim.NodeID

	// AwaitReady makes a process begin when the API server is ready.
	AwaitReady bool

	// WatchList streams the list (the gate WatchListClient).
	WatchList bool
	// InitialResourceVersion is what the first request of a process asks for:
	// wire.Unset for the newest state, 0 for any. Upstream a LIST asks for any,
	// which kubernetes #59848 is about, and a WatchList for the newest.
	InitialResourceVersion int64
	// NewestAfterExpired makes a 410 that ends a watch give the last
	// resourceVersion up (KEP-3157, "Steps followed by informers"). client-go
	// names it once more.
	NewestAfterExpired bool
	// NotOlderThan says so of a LIST that names a resourceVersion
	// (resourceVersionMatch). client-go says nothing, which means the same
	// without a limit, and exactly that resourceVersion with one (kubernetes
	// #133810).
	NotOlderThan bool
	// PageSize is the pager's, in objects: 500.
	PageSize int64
	// ConsistencyDetector compares what a WatchList brought with a LIST of the
	// same resourceVersion (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR).
	ConsistencyDetector bool
	// MinWatchTimeout is the least time after which a watch ends; the most is
	// twice as long: 5 minutes. Untimed watches have none.
	MinWatchTimeout sim.Duration
}

func (c *Config) setDefaults() {
	if c.PageSize == 0 {
		c.PageSize = 500
	}
	if c.MinWatchTimeout == 0 {
		c.MinWatchTimeout = 5 * time.Minute
	}
}
