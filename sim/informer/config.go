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
	// the first, and connects to the next one when its connection breaks or its
	// process restarts.
	Servers []sim.NodeID

	// AwaitReady makes a process wait until the API server is ready.
	AwaitReady bool

	// WatchList streams the list (the gate WatchListClient).
	WatchList bool
	// InitialResourceVersion is the resourceVersion of a process's first request:
	// wire.Unset for the newest state, 0 for any. Upstream a LIST asks for any
	// (kubernetes #59848 is about that), and a WatchList for the newest.
	InitialResourceVersion int64
	// NewestAfterExpired makes the informer ask for the newest state after a 410
	// that ended a watch (KEP-3157, "Steps followed by informers"). client-go
	// names the last resourceVersion once more.
	NewestAfterExpired bool
	// NotOlderThan gives a LIST with a resourceVersion that resourceVersionMatch.
	// client-go gives none: that means the same without a limit, and exactly that
	// resourceVersion with one (kubernetes #133810).
	NotOlderThan bool
	// PageSize is the pager's, in objects: 500.
	PageSize int64
	// ConsistencyDetector compares the objects of a WatchList with a LIST of the
	// same resourceVersion (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR).
	ConsistencyDetector bool
	// MinWatchTimeout is the minimum time after which a watch ends, 5 minutes; the
	// maximum is twice as long. Untimed watches have no timeout.
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
