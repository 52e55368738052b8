package ingestion

import (
	"github.com/watchbed/watchbed/properties/reads"
	"strconv"

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
	Why:        "the contents are newer than the version; reads show it only if they come between",
	Further:    []*testbed.Property{reads.Linearizable, reads.Sequential},
	WhyFurther: "a LIST between shows newer contents under the older version",
})

var _ = cache.ProgressTakers.Register("dispatched", "when the dispatcher takes it from its channel, behind events that came since", dispatched{})

type dispatched struct{}

// Ingested implements cache.ProgressTaker.
func (dispatched) Ingested(env *sim.Env, _ *cache.Cache, e *wire.WatchEvent) {
	if env.Noting() {
		env.Note(putOff{e.ResourceVersion})
	}
}

// Dispatched implements cache.ProgressTaker.
func (dispatched) Dispatched(env *sim.Env, c *cache.Cache, resourceVersion int64) {
	c.TakeProgress(env, resourceVersion, 0)
}

// putOff: a progress notification has come in, and the version stays.
type putOff struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n putOff) Text(*sim.World) string {
	return "puts progress " + strconv.FormatInt(n.resourceVersion, 10) + " into the dispatcher's channel, and its resourceVersion stays"
}

// About implements sim.Subject.
func (n putOff) About() sim.About { return sim.About{Revision: n.resourceVersion} }
