package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// A client that sets the limit of every list sets that of the list in one piece, too. Its
// first page is taken for everything.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-126770", Issue: "kubernetes/kubernetes#126770",
	Summary:  "an informer that lists anew because its pages expired has one page of the objects, and takes it for all",
	Setting:  "informer-whole-list=limited",
	Scenario: scenarios.ExpiredPages, Property: informers.MatchEtcd,
	Why:        "the objects behind the first page are missing",
	Further:    []*testbed.Property{informers.CatchUp},
	WhyFurther: "nothing is written to them any more, so that no event brings them",
})
