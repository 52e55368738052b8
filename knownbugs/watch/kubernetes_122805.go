package watch

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarioinformers "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// What KEP-3157 describes was shipped first: the bookmark timer finds the end of
// the initial events, and no read waits meanwhile, so progress is not requested.
// It is a value of the seam because designs have it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-122805", Issue: "kubernetes/kubernetes#122805", FixedIn: "Kubernetes 1.30",
	Summary:  "a WatchList waits for a fresh cache, and etcd is not asked for progress: on a quiet range the bookmark that ends its initial events never comes",
	Setting:  "initial-events-end=timer",
	Scenario: scenarioinformers.ColdStart, Property: informers.CatchUp,
	Why: "nothing more can happen, and an informer still waits for the end of its list",
})
