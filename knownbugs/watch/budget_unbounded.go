package watch

import (
	"github.com/watchbed/watchbed/properties/timers"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/budget"
	"github.com/watchbed/watchbed/testbed"
)

// What upstream's timeBudget earns and gets back is bounded at two places. Without both a
// dispatcher that nothing held up for an hour waits three minutes for the first watch that
// does not read, and all other watches of the cache wait with it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "budget-unbounded",
	Summary:  "a dispatcher saves all the time for which it did not have to wait, and may wait that long for one watch",
	Setting:  "dispatch-budget=unbounded",
	Scenario: scenarios.WatchListHeldUp, Property: timers.Owned,
	Why: "as long as the watch reads again in time, nothing else shows it",
})

var _ = budget.Bounds.Register("unbounded", "as long as it has saved: no release", func(budget sim.Duration) sim.Duration { return budget })
