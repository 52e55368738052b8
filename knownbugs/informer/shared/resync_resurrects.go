package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// Before client-go 0.36 the queue was locked while deltas were processed, so that a resync could look at both
// store and queue. Since then it must not take anything out of the store: what is taken may be old when it is
// processed.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-resync-resurrects",
	Summary:  "a resync queues the objects of the store, and brings back what is deleted before they are processed",
	Setting:  "informer-resync-takes=queued",
	Scenario: scenarios.Handlers, Property: informers.MatchEtcd,
	Why:        "an object that was deleted, or its earlier state, is put into the store again",
	Further:    []*testbed.Property{informers.Monotonic, informers.HandlerSynced, informers.HandlersRest},
	WhyFurther: "the resourceVersion of the store becomes that of the old object, which stays if nothing follows",
})
