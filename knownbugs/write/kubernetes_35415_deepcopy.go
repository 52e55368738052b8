package write

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	scenarios "github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/testbed"
)

// No release had it: the change that brought the suggestion looked at etcd from the beginning.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-35415-deepcopy", Issue: "kubernetes/kubernetes#35415",
	Summary:  "an update changes the object of the cache itself, before etcd has it",
	Setting:  "suggestion=live",
	Scenario: scenarios.Updates, Property: caches.MatchEtcd,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "the cache serves what is not written",
	Why:        "the cache shows what is not written yet, and never may be",
})

var _ = write.Suggestions.Register("live", "it is the object itself and no copy, and the update changes it (kubernetes#35415)",
	write.Trust{Live: true})
