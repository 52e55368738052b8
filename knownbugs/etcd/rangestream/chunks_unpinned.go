package rangestream

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/rangestreams"
	"github.com/watchbed/watchbed/testbed"
)

// No etcd is known to have had this one. A client that names no revision leaves it to the first
// chunk: rangeStream writes that revision into the request before it goes on.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "chunks-unpinned",
	Summary:  "the chunks of a RangeStream behind the first are each read at the newest revision",
	Setting:  "stream-pin=none",
	Scenario: rangestreams.Start, Property: caches.MatchEtcd,
	Why:        "the cache takes the chunks for one state, and some objects in it are newer",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs show what no state had",
})
