package write

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

// No release had it: the change that brought the suggestion looked at etcd from the beginning.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-89828-precondition", Issue: "kubernetes/kubernetes#89828",
	Summary:  "a deletion whose precondition the object of the cache does not meet is refused, however old that is",
	Setting:  "suggestion=trusted-by-deletions",
	Scenario: scenarios.Objects, Property: writes.Refusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal without a reason has no place among the other operations",
	Why:        "the precondition is the resourceVersion that the client was answered, and the cache is not there yet",
})

var _ = write.Suggestions.Register("trusted-by-deletions", "the precondition of a deletion (kubernetes#89828)",
	write.Trust{Final: []write.Check{write.DeletePrecondition}})
