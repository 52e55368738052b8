package ingestion

import (
	"github.com/watchbed/watchbed/properties/caches"
	"strconv"

	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// The healthy cache changes version and store in the step that takes an event in.
// This one changes the store in the next step of the same goroutine, the hand-over
// to the dispatcher, and leaves the lock free in between.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "version-before-store",
	Summary:  "the resourceVersion is published before the store has the change",
	Setting:  "publication=version-first",
	Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
	Why:        "a read that waited for the version is answered, and the write of that version is not in the store yet",
	Further:    []*testbed.Property{reads.Linearizable, reads.Sequential, caches.MatchEtcd},
	WhyFurther: "the store lacks a change that its version includes, until the next step",
})

var _ = cache.Publications.Register("version-first", "the store changes one step after the version",
	func() cache.Publisher { return &versionFirst{} })

type versionFirst struct {
	// unstored is a change whose version is out and which the store does not have
	// yet.
	unstored *wire.WatchEvent
}

// cellUnstored is that change.
var cellUnstored = sim.NewCell("cache: change that is not stored yet")

// Reset implements cache.Publisher.
func (p *versionFirst) Reset() { p.unstored = nil }

// Event implements cache.Publisher.
func (p *versionFirst) Event(env *sim.Env, s *store.Store, in *wire.WatchEvent) store.Event {
	env.Writes(cellUnstored, 0)
	p.unstored = in
	if env.Noting() {
		env.Note(versionOnly{in.ResourceVersion})
	}
	return s.Admit(env, in)
}

// HandOver implements cache.Publisher.
func (p *versionFirst) HandOver(env *sim.Env, s *store.Store) bool {
	env.Reads(cellUnstored, 0)
	if p.unstored == nil {
		return false
	}
	env.Writes(cellUnstored, 0)
	s.Update(env, p.unstored)
	p.unstored = nil
	return false
}

// Clone implements cache.Publisher.
func (p *versionFirst) Clone() cache.Publisher { c := *p; return &c }

// Cells implements cache.Publisher.
func (p *versionFirst) Cells(visit sim.CellVisitor) {
	if p.unstored != nil {
		visit(cellUnstored, 0, p.unstored.Digest(sim.NewDigest))
	}
}

// versionOnly: the version of a change is out before the change.
type versionOnly struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n versionOnly) Text(*sim.World) string {
	return "is at resourceVersion " + strconv.FormatInt(n.resourceVersion, 10) + ", and its store does not have that change yet"
}

// About implements sim.Subject.
func (n versionOnly) About() sim.About { return sim.About{Revision: n.resourceVersion} }
