package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A WatchList held a read lock of its own while it waited for the cache to be
// fresh, beside the one that cond.Wait gives back. The next event waited for the
// write lock, and every reader behind it, the WatchList included.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-117137", Issue: "kubernetes/kubernetes#117137", FixedIn: "Kubernetes 1.28",
	Summary:  "a WatchList waits for a fresh cache while it holds the lock that the cache needs to become fresh",
	Setting:  "freshness-lock=held",
	Scenario: scenarios.WatchListEnds, Property: watches.InitialEventsEnd,
	Why: "the WatchList and every read behind it wait forever",
})
