package client

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/decoding"
	"github.com/watchbed/watchbed/testbed"
)

// No release is known to have had this one. The error of a decode stands in the slot of its event,
// and nothing behind it is sent. If it is reported past the slots, the events behind it may be sent
// before the reflector acts on it, and the watch goes on from the last of them.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "decode-error-aside",
	Summary:  "an object that cannot be decoded is left out, and its error ends the watch some events later",
	Setting:  "decode-error=aside",
	Scenario: decoding.Concurrent, Property: caches.MatchEtcd,
	Why:        "the reflector watches again from behind the event that was left out",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, watches.Reliable, watches.Bookmarkable},
	WhyFurther: "LISTs lack the event, and watches are never sent it",
})
