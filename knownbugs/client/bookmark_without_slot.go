package client

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/decoding"
	"github.com/watchbed/watchbed/testbed"
)

// No release is known to have had this one. A progress notification has no object to decode, and
// yet it says that all events up to its revision were sent: it takes a slot like an event.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "bookmark-without-slot",
	Summary:  "progress is sent at once, past events that are still decoded",
	Setting:  "bookmark-slot=none",
	Scenario: decoding.Concurrent, Property: caches.MatchEtcd,
	Why:        "the cache takes the progress for the proof that it has the events before it",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable},
	WhyFurther: "LISTs that waited for the progress lack those events, and watches are sent them behind it",
})
