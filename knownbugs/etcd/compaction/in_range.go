package compaction

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// A Range that is faster than the writes and the compaction beside it is answered.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-in-range",
	Summary:  "a Compact does not wait for a Range, which is refused although it asks for the present",
	Setting:  "compaction-in-range=goes-on",
	Scenario: etcdrequests.CompactionInRange, Property: etcdapi.Answers,
	Why: "a Range of the present is never of a compacted revision",
})
