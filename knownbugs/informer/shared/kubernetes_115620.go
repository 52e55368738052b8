package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// An object that was added and is still in the queue when a list comes without it is in neither of both:
// the deletions of the list were those of objects in the store.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-115620", Issue: "kubernetes/kubernetes#115620", FixedIn: "client-go 0.27",
	Summary:  "an informer keeps for ever what was added and deleted before it listed again",
	Setting:  "informer-replace=one-by-one-stored",
	Scenario: scenarios.HandlersRelist, Property: informers.HandlerOrder,
	Why:        "the object was in the queue only when the list came without it; if it is created again, it is told as an update",
	Further:    []*testbed.Property{informers.MatchEtcd, informers.Monotonic, informers.HandlerSynced, informers.HandlersRest},
	WhyFurther: "the object stays if it is not created again; and a store that is filled object by object has no resourceVersion of its own",
})
