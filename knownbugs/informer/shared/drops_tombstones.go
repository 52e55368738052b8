package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// A handler that takes every deleted object for one of its own type leaves out DeletedFinalStateUnknown; a filter before
// it does so without a word. Many controllers had this.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-drops-tombstones", Issue: "volcano-sh/volcano#2784",
	Summary:  "handlers leave out deletions that their informer learns by listing again",
	Setting:  "informer-tombstones=dropped",
	Scenario: scenarios.HandlersResync, Property: informers.HandlerKnows,
	Why: "the handler knows of an object that is not in the store",
})
