package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one. An object that was changed since it was created
// has another mod_revision than create_revision, which is what tells MODIFIED from ADDED in
// an event of etcd.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "initial-type-of-last-change",
	Summary:  "an initial event of an object that was changed since it was created is MODIFIED",
	Setting:  "initial-type=last-change",
	Scenario: scenarios.AnyRequests, Property: watches.EventTypes,
	Why: "the object and its resourceVersion are right; the client had never seen it",
})
