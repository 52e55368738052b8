package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The queue counts the first list down, and has synced at 0. That was under its lock, until client-go 0.36
// processed without it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-synced-too-early",
	Summary:  "an informer has synced when its first list is taken off the queue, before the list is in the store",
	Setting:  "informer-counts=before",
	Scenario: scenarios.HandlersStart, Property: informers.HandlerSynced,
	Why: "controllers begin although handlers have not been told of what there is",
})
