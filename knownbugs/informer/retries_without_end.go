package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// Below the Reflector a request is sent again every second. If that never ends, the
// Reflector never learns that the request is of no use, and neither asks for another
// state nor pauses for longer.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-repeats-without-end",
	Summary:  "an informer sends a request that is refused with Retry-After again without end",
	Setting:  "informer-retries=unlimited",
	Scenario: scenarios.Expired, Property: informers.TriesAgain,
	Why: "it is sent for the twelfth time",
})
