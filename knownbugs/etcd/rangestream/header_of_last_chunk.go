package rangestream

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/rangestreams"
	"github.com/watchbed/watchbed/testbed"
)

// No etcd is known to have had this one. The header comes with the last chunk, whose read
// transaction has another revision than the first: a watch that begins there misses what was
// written in between.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "header-of-last-chunk",
	Summary:  "the header of a RangeStream has the revision that the store has at the last chunk",
	Setting:  "stream-header=last-chunk",
	Scenario: rangestreams.Start, Property: caches.MatchEtcd,
	Why:        "the cache takes the objects for a newer state than they are of, and watches from there",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs lack what was written between the first chunk and the last",
})
