package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// AddEventHandler takes blockDeltas so that nothing is processed between the list of the store and the
// registration.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-adds-handler-unlocked",
	Summary:  "a handler is added while a batch is processed: it is listed an object, and told once more that it was added",
	Setting:  "informer-late-handler=unlocked",
	Scenario: scenarios.Handlers, Property: informers.HandlerOrder,
	Why:        "the store has the batch already, and the handlers are still told of it",
	Further:    []*testbed.Property{informers.HandlerSynced},
	WhyFurther: "what is told once more is of the initial list, and may come after it has ended",
})
