package write

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-48394", Issue: "kubernetes/kubernetes#48394", FixedIn: "Kubernetes 1.8",
	Summary:  "an update that changes nothing of the object of the cache is answered with that, however old it is",
	Setting:  "suggestion=trusted-unchanged",
	Scenario: scenarios.Objects, Property: writes.Answers,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "an old object has no place behind the answer to a later write",
	Why:        "an update that has been answered is missing in the object that a later one returns",
})

var _ = write.Suggestions.Register("trusted-unchanged", "that there is nothing to change (kubernetes#48394)",
	write.Trust{Final: []write.Check{write.NoChange}})
