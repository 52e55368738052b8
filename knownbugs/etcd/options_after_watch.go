package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// All releases have it: the options are stored in a step of their own. Caches see it as
// a deletion without an object (kubernetes/kubernetes#76624 describes the same of a
// compacted value).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "options-after-watch",
	Summary:  "etcd registers a watch before it has stored that it wants previous values, and sends its first events without them",
	Setting:  "watch-options=after-watch",
	Scenario: scenarios.PreviousValues, Property: watches.PrevKV,
	Why: "sendLoop takes events of the watch before recvLoop has stored its options",
})
