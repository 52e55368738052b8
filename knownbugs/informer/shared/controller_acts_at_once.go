package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// What KEP-5647 is about: until Kubernetes 1.36 controllers acted on whatever their informers had.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "controller-acts-at-once", Issue: "kubernetes/enhancements#5647", FixedIn: "Kubernetes 1.36",
	Summary:  "a controller acts on an object as it was before its own update, and does everything twice",
	Setting:  "controller-consistency=none",
	Scenario: scenarios.Controller, Property: informers.OwnWrites,
	Why: "the answer to the update has come, and its event has not",
})
