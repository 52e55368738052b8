package client

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/rangestreams"
	"github.com/watchbed/watchbed/testbed"
)

// No release is known to have had this one. An etcd that does not know RangeStream says so in the
// place of the first chunk (kubernetes#140279), so that the pages come instead of the stream. After
// any other error they come on top of what was queued.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "stream-late-fallback",
	Summary:  "a stream of initial events that fails midway is followed by all of them in pages",
	Setting:  "stream-fallback=any-error",
	Scenario: rangestreams.Start, Property: caches.MatchEtcd,
	Why:        "an object of the first chunks that was deleted before the first page stays",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "LISTs show the object that is deleted",
})
