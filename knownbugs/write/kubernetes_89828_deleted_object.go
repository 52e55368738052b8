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
	Name: "kubernetes-89828-deleted-object", Issue: "kubernetes/kubernetes#89828",
	Summary:  "a deletion that finds the object gone is answered as if it had deleted it",
	Setting:  "vanished=deleted",
	Scenario: scenarios.Objects, Property: writes.Answers,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "two deletions are answered one revision, or one that another write made",
	Why:        "two clients delete one object, and both are told that they have",
})

var _ = write.VanishedObjects.Register("deleted", "the object that the cache had, as if that were deleted now (kubernetes#89828)", true)
