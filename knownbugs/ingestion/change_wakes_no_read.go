package ingestion

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// UpdateResourceVersion woke the waiting reads once more after each change, until it returned early from versions
// that the cache has (kubernetes/kubernetes#142291). It may do so since processEvent wakes them itself. This cache
// takes that for one broadcast too many.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "change-wakes-no-read",
	Summary:  "a change leaves it to UpdateResourceVersion to wake the reads that wait, and that returns early",
	Setting:  "equal-progress=skipped-unwoken",
	Scenario: scenarios.AwaitedChange, Property: reads.AnswersInTime,
	Why: "reads that wait for a change are not woken by it, and later progress says nothing new",
})

var _ = cache.EqualProgresses.Register("skipped-unwoken", "nothing, and a change has left it to this call to wake the reads that wait",
	cache.EarlyReturn{Returns: true, Wakes: true})
