package write

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-82303", Issue: "kubernetes/kubernetes#82303", FixedIn: "Kubernetes 1.16",
	Summary:  "an update whose precondition the object of the cache does not meet is refused, however old that is",
	Setting:  "suggestion=trusted-by-precondition",
	Scenario: scenarios.Objects, Property: writes.Refusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal without a reason has no place among the other operations",
	Why:        "the precondition is the resourceVersion that the client was answered, and the cache is not there yet",
})

var _ = write.Suggestions.Register("trusted-by-precondition", "the precondition of an update (kubernetes#82303)",
	write.Trust{Final: []write.Check{write.UpdatePrecondition}})
