package read

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one. The contents of the cache are right: neither
// a LIST of all objects nor a consistency check, which compares contents, can find it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "stale-index",
	Summary:  "an object whose field changes stays in the index under its former value as well: a LIST by that value shows the object as it was",
	Setting:  "index-update=deletions",
	Scenario: scenarios.SelectedLists, Property: reads.LinearizableData,
	Why:        "the LIST shows an object that does not match its selector any more",
	Further:    []*testbed.Property{reads.Linearizable, reads.NotOlderThan},
	WhyFurther: "the LIST is of no state that etcd was in, whatever its resourceVersion",
})
