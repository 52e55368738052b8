package read

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "store-without-snapshot",
	Summary:  "a deletion leaves no snapshot: an exact read at it is served from the one before",
	Setting:  "snapshot-on=puts",
	Scenario: scenarios.SnapshotReads, Property: reads.Exact,
	Why:        "a read at the deletion shows the object; the newest state is right",
	Further:    []*testbed.Property{reads.Pages, caches.ServedAsPromised},
	WhyFurther: "later pages show the state before the deletion, and the first page does not; a read at the deletion may find no snapshot, and goes to etcd",
})
