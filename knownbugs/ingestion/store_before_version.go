package ingestion

import (
	"strconv"

	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// v0.38.0-alpha.2 publishes its latest snapshot before history and version, and reads it under the lock of
// the cache, which is not free in between. This cache reads it without that lock: the healthy one changes
// everything in the step that takes an event in, this one changes history and version in the next step of the
// same goroutine, the hand-over to the dispatcher.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "store-before-version",
	Summary:  "the store has a change before the resourceVersion does, and is read in between",
	Setting:  "publication=store-first",
	Scenario: scenarios.WatchListStreams, Property: watches.InitialEvents,
	Why: "initial events show a write, and the bookmark behind them has the resourceVersion before it",
})

var _ = cache.Publications.Register("store-first", "history and version change one step after the store",
	func() cache.Publisher { return &storeFirst{} })

type storeFirst struct {
	// unpublished is a change that the store has, and history and version do not.
	unpublished store.Event
}

// cellUnpublished is that change.
var cellUnpublished = sim.NewCell("cache: change whose version is not published yet")

// Reset implements cache.Publisher.
func (p *storeFirst) Reset() { p.unpublished = store.Event{} }

// Event implements cache.Publisher.
func (p *storeFirst) Event(env *sim.Env, s *store.Store, in *wire.WatchEvent) store.Event {
	env.Writes(cellUnpublished, 0)
	p.unpublished = s.Change(env, in)
	s.Update(env, in)
	if env.Noting() {
		env.Note(storeOnly{in.ResourceVersion})
	}
	return p.unpublished
}

// HandOver implements cache.Publisher.
func (p *storeFirst) HandOver(env *sim.Env, s *store.Store) bool {
	env.Reads(cellUnpublished, 0)
	if p.unpublished.ResourceVersion == 0 {
		return false
	}
	env.Writes(cellUnpublished, 0)
	s.Publish(env, p.unpublished)
	p.unpublished = store.Event{}
	return true
}

// Clone implements cache.Publisher.
func (p *storeFirst) Clone() cache.Publisher { c := *p; return &c }

// Cells implements cache.Publisher.
func (p *storeFirst) Cells(visit sim.CellVisitor) {
	if p.unpublished.ResourceVersion != 0 {
		visit(cellUnpublished, 0, p.unpublished.Fingerprint(sim.NewDigest))
	}
}

// storeOnly: the store has a change before its version is out.
type storeOnly struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n storeOnly) Text(*sim.World) string {
	return "has change " + strconv.FormatInt(n.resourceVersion, 10) + " in its store, and its resourceVersion does not say so yet"
}

// About implements sim.Subject.
func (n storeOnly) About() sim.About { return sim.About{Revision: n.resourceVersion} }
