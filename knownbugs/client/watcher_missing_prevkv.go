package client

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Without the previous value the watcher made of a deletion an event without an
// object, which the reflector logged and skipped.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "watcher-missing-prevkv", Issue: "kubernetes/kubernetes#76675", FixedIn: "Kubernetes 1.15",
	Summary:  "a deletion whose previous value was compacted does not reach the cache",
	Setting:  "missing-prev-kv=passes",
	Scenario: scenarios.ConsistentList, Property: caches.MatchEtcd,
	Why:        "the cache keeps an object that is deleted, whether it is read or not",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, watches.Reliable, watches.Bookmarkable, watches.KeepUp},
	WhyFurther: "LISTs show the deleted object, and watches are not sent its deletion",
})
