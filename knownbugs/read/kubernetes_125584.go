package read

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// The prefix of a namespace was used without its final "/".
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-125584", Issue: "kubernetes/kubernetes#125584", FixedIn: "Kubernetes 1.31",
	Summary:  "a LIST of a namespace shows the objects of another one whose name begins like it",
	Setting:  "list-prefix=open",
	Scenario: scenarios.Namespaces, Property: reads.LinearizableData,
	Why:        "an object is shown that is not below the prefix, at any revision",
	Further:    []*testbed.Property{reads.Linearizable},
	WhyFurther: "the same objects, judged with the resourceVersion of the LIST",
})
