package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// Watches of Kubernetes' Python client and of many operators are restarted in a loop.
// kubernetes/kubernetes#87794 gave the Reflector its backoff, which until then waited
// for a second.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-never-pauses",
	Summary:  "an informer that is refused asks again at once, and takes down the API server that is busy already",
	Setting:  "informer-pause=none",
	Scenario: scenarios.Overload, Property: informers.TriesAgain,
	Why: "the next request is sent at the time of the refusal",
})
