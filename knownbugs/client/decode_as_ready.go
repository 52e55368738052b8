package client

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/decoding"
	"github.com/watchbed/watchbed/testbed"
)

// No release is known to have had this one. The collector of etcd3 waits for the slot of the event
// that came first, however long its decode takes (KEP-6178).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "decode-as-ready",
	Summary:  "events that are decoded at the same time are sent in the order in which that is done",
	Setting:  "decode-order=as-ready",
	Scenario: decoding.Concurrent, Property: caches.MatchEtcd,
	Why:        "the cache is at the revision of the later event, and has not had the earlier one",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable},
	WhyFurther: "LISTs lack the earlier event, and watches are sent it too late, or not at all",
})
