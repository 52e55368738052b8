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
	Name: "kubernetes-35415", Issue: "kubernetes/kubernetes#35415",
	Summary:  "an update takes the object of the cache for the one in etcd, in all that it checks",
	Setting:  "suggestion=trusted-by-updates",
	Scenario: scenarios.Objects, Property: writes.Refusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, writes.Answers},
	WhyFurther: "a refusal without a reason has no place among the other operations, nor has an old object in an answer",
	Why:        "the first client that has changed an object is refused because the cache has not heard of that yet",
})

var _ = write.Suggestions.Register("trusted-by-updates", "all that an update checks (kubernetes#35415)",
	write.Trust{Final: []write.Check{write.UpdatePrecondition, write.UpdateFunction, write.NoChange}})
