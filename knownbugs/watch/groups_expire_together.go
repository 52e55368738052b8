package watch

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/dispatch/slow"
	"github.com/watchbed/watchbed/testbed"
)

// Watchers that are served together have positions of their own. If the lowest of them decides
// for all, one client that has stopped reading ends the watches of those that have just stalled.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "groups-expire-together",
	Summary:  "unsynced watchers age out together: the one that is furthest behind ends all of them with a 410",
	Setting:  "slow-watchers=groups-expire-together",
	Scenario: stalled.Watches, Property: caches.JustifiedRefusals,
	Why: "the history has every event that the other clients still need",
})

var _ = dispatch.SlowWatchers.Register("groups-expire-together", "as groups, but the history is to have what the one furthest behind needs, or all end",
	func() dispatch.CatchUp {
		return slow.NewGroups(func(env *sim.Env, w *dispatch.Watcher, _, lowest int64) bool { return !w.Servable(env, lowest) })
	})
