package read

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "page-of-newest-state",
	Summary:  "the second page of a list is served from the newest state, not from that of the first",
	Setting:  "next-page=newest",
	Scenario: scenarios.SnapshotReads, Property: reads.Pages,
	Why:        "each page is true by itself; together they are not one state",
	Further:    []*testbed.Property{reads.Exact, reads.NoCompactedReads},
	WhyFurther: "a page after the first shows the newest state in place of the one asked for, which may be compacted",
})
