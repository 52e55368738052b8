package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The objects of a list were deltas of the type Sync, as those of a resync are. The delta type Replaced tells them apart.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-86015", Issue: "kubernetes/kubernetes#86015", FixedIn: "client-go 0.18",
	Summary:  "what an informer learns by listing again is told only to handlers whose resync is due",
	Setting:  "informer-relist=resync",
	Scenario: scenarios.HandlersResync, Property: informers.HandlerKnows,
	Why:        "the other handlers do not hear of what was added or has changed while the informer had no watch",
	Further:    []*testbed.Property{informers.HandlerOrder, informers.HandlerResyncs},
	WhyFurther: "the next change, and the next resync, are of a state that the handler does not know",
})
