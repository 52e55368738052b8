package write

import (
	"github.com/watchbed/watchbed/properties/writes"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

// In Kubernetes it was an update function that failed: one that deletes an object because of
// finalizers that it does not have any more. Upstream's table of reproductions has it as the
// validation of a deletion.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-77619", Issue: "kubernetes/kubernetes#77619", FixedIn: "Kubernetes 1.15",
	Summary:  "a deletion that the object of the cache does not allow is refused, however old that is",
	Setting:  "suggestion=trusted-by-validation",
	Scenario: scenarios.Objects, Property: writes.Refusals,
	Why: "the client has just given the object what allows the deletion",
})

var _ = write.Suggestions.Register("trusted-by-validation", "the validation of a deletion (kubernetes#77619)",
	write.Trust{Final: []write.Check{write.Validation}})
