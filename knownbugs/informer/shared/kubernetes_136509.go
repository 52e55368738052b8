package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The lock of the listeners was held while their first notification waited for their goroutines. A resync
// that waits to write keeps out the goroutine that is to start them, which reads.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-136509", Issue: "kubernetes/kubernetes#136509", FixedIn: "client-go 0.36",
	Summary:  "a resync before the goroutines of the listeners have started: they never do, and no handler is told anything",
	Setting:  "informer-distribute=holding",
	Scenario: scenarios.HandlersStart, Property: informers.HandlersRest,
	Why: "the process loop waits for the listeners with the lock that their start waits for, behind the resync",
})
