package ingestion

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// The healthy cache sets its resourceVersion in the step that takes a progress
// notification in. This one sets it when the dispatcher takes the notification
// from its channel. Events that came in meanwhile have moved the version on, and it
// goes back.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "progress-lowers-version",
	Summary:  "a progress notification sets the resourceVersion late, and takes it back behind events that came since",
	Setting:  "progress-rv=dispatched",
	Scenario: scenarios.Outages, Property: caches.MatchEtcd,
	Why: "the contents are newer than the version; reads show it only if they come between",
})

var _ = cache.ProgressTakers.Register("dispatched", "when the dispatcher takes it from its channel, behind events that came since", dispatched{})

type dispatched struct{}

// Ingested implements cache.ProgressTaker.
func (dispatched) Ingested(*sim.Env, *cache.Cache, *wire.WatchEvent) {}

// Dispatched implements cache.ProgressTaker.
func (dispatched) Dispatched(env *sim.Env, c *cache.Cache, resourceVersion int64) {
	c.TakeProgress(env, resourceVersion, 0)
}
