package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// No etcd is known to have had this one. A client that names no revision leaves it to the first
// chunk: rangeStream writes that revision into the request before it goes on.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "chunks-unpinned",
	Summary:  "the chunks of a RangeStream behind the first are each read at the newest revision",
	Setting:  "stream-pin=none",
	Scenario: scenarios.RangeStreamStart, Property: caches.MatchEtcd,
	Why:        "the cache takes the chunks for one state, and some objects in it are newer",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs show what no state had",
})

// No etcd is known to have had this one. The header comes with the last chunk, whose read
// transaction has another revision than the first: a watch that begins there misses what was
// written in between.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "header-of-last-chunk",
	Summary:  "the header of a RangeStream has the revision that the store has at the last chunk",
	Setting:  "stream-header=last-chunk",
	Scenario: scenarios.RangeStreamStart, Property: caches.MatchEtcd,
	Why:        "the cache takes the objects for a newer state than they are of, and watches from there",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs lack what was written between the first chunk and the last",
})
