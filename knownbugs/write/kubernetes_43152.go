package write

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-43152", Issue: "kubernetes/kubernetes#43152", FixedIn: "Kubernetes 1.8",
	Summary:  "an update that fails on the object of the cache is refused, however old that is",
	Setting:  "suggestion=trusted-by-update-function",
	Scenario: scenarios.Objects, Property: writes.Refusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal without a reason has no place among the other operations",
	Why:        "the update requires the resourceVersion that its client was answered, and the cache is not there yet",
})

var _ = write.Suggestions.Register("trusted-by-update-function", "the error of an update function (kubernetes#43152)",
	write.Trust{Final: []write.Check{write.UpdateFunction}})
