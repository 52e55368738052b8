package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// A client's update returns a new object, and the one that was sent still has the resourceVersion of what was read.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "controller-records-what-it-read",
	Summary:  "a controller records the resourceVersion of the object that it has read, not of the one that it has written",
	Setting:  "controller-records=read",
	Scenario: scenarios.Controller, Property: informers.OwnWrites,
	Why: "the store has come to that long ago, so that the controller does not wait",
})
