package compaction

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// A compaction of few changes is one batch, and answered in time.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "physical-after-first-batch",
	Summary:  "a physical compaction is answered when its first batch is done, and others are to come",
	Setting:  "physical-compaction=after-first-batch",
	Scenario: etcdrequests.PhysicalCompactions, Property: etcdapi.Physical,
	Why: "changes that the compaction removes are still in the backend",
})
