package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// The watchers of a transaction are looked up by the first of its keys.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "revision-by-first-key",
	Summary:  "a watch is sent nothing of a transaction whose first key, in key order, it does not watch",
	Setting:  "revision-events=by-first-key",
	Scenario: scenarios.AnyEtcdRequests, Property: watches.Reliable,
	Why:        "the event is missing between others",
	Further:    []*testbed.Property{watches.Bookmarkable, watches.Resumable, watches.KeepUp},
	WhyFurther: "it may be the first event of the watch, or the newest one; progress says that the watch has it",
})
