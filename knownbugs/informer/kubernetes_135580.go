package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// A transformer of an informer removes from each object the fields that the controller does not need. The
// store of the Reflector did not apply it any more, and the detector applied it to its list.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-135580", Issue: "kubernetes/kubernetes#135580", FixedIn: "Kubernetes 1.34.3 and 1.35",
	Summary:  "the consistency detector of an informer compares transformed objects with others, and panics",
	Setting:  "informer-comparison=transformed",
	Scenario: scenarios.Refusals, Property: informers.DetectorAccuracy,
	Why:        "what was streamed is what etcd had",
	Further:    []*testbed.Property{informers.CatchUp},
	WhyFurther: "an informer that panics stops",
})
