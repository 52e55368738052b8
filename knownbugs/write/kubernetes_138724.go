package write

import (
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/testbed"
)

// Kubernetes 1.37.2 still has it: getState makes the error of the resourceVersion 0. So the design v0.37.2 sets the option.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-138724", Issue: "kubernetes/kubernetes#138724", FixedIn: "Kubernetes 1.38",
	Summary:  "the error of a write that finds no object has the resourceVersion 0",
	Setting:  "not-found-rv=none",
	Scenario: scenarios.Objects, Property: writes.NotFoundVersions,
	Why: "a caller of the storage cannot say which state it is that has no such object",
})
