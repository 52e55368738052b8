package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The gate AtomicFIFO: a handler that looks into the store while a list is processed sees objects of two
// resourceVersions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-135462", Issue: "kubernetes/kubernetes#135462", FixedIn: "client-go 0.36",
	Summary:  "a list gets into the store of an informer object by object: handlers see a state that there never was",
	Setting:  "informer-replace=one-by-one",
	Scenario: scenarios.HandlersRelist, Property: informers.MatchEtcd,
	Why:        "the store has some objects of the list, and not the others",
	Further:    []*testbed.Property{informers.Monotonic, informers.HandlerSynced},
	WhyFurther: "the resourceVersion of the store is that of the last object, and says nothing of the others",
})
