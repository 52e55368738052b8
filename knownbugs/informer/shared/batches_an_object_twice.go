package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// What a batch tells handlers is found out before any of it is in the store. RealFIFO.PopBatch closes a batch
// at the second delta of an object.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-batches-an-object-twice",
	Summary:  "a batch has two deltas of an object: handlers are told of the second as if the first had not been",
	Setting:  "informer-batch-members=any",
	Scenario: scenarios.Handlers, Property: informers.HandlerOrder,
	Why: "the object of before the batch is taken for that of before the second delta",
})
