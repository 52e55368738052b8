package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// A handler that is added before the listeners have started got its goroutine watchSynced at once. Removed again, it
// has no listener that would end it, and Run waits for all goroutines.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-137296", Issue: "kubernetes/kubernetes#137296", FixedIn: "client-go 0.36",
	Summary:  "an informer whose handler was added and removed before the listeners had started never stops",
	Setting:  "informer-sync-watch=always",
	Scenario: scenarios.HandlersStart, Property: informers.HandlersRest,
	Why: "the informer is stopped before it has synced, and Run waits for a goroutine that waits for that",
})
