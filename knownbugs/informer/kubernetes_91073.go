package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The Reflector asked for the newest state after 410 only. A server that had not come as
// far as the one before it was asked for the same resourceVersion again and again.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-91073", Issue: "kubernetes/kubernetes#91073", FixedIn: "client-go 0.19",
	Summary:  "an informer whose resourceVersion no server has reached names it for ever, and does not ask for the newest state",
	Setting:  "informer-unavailable=expired",
	Scenario: scenarios.Expired, Property: informers.Resumes,
	Why: "the list after the refusal names the resourceVersion that was refused",
})
