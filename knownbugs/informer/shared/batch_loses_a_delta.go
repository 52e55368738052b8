package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-batch-loses-a-delta",
	Summary:  "the delta that closes a batch is taken off the queue with it, and processed by none",
	Setting:  "informer-batch-members=without-last",
	Scenario: scenarios.Handlers, Property: informers.MatchEtcd,
	Why:        "the store lacks a change of an object that changed twice",
	Further:    []*testbed.Property{informers.HandlerOrder, informers.HandlerSynced, informers.HandlersRest},
	WhyFurther: "handlers are told what is in the store, and a handler that is added is listed that",
})
