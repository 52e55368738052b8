package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

func init() {
	Publications.Register("version-first", "the store changes one step after the version",
		func() Publisher { return &versionFirst{} })
	ProgressTakers.Register("dispatched", "when the dispatcher takes it from its channel, behind events that came since", dispatched{})
	WatchStreams.Register("of-caches", "one for all caches of the client (kubernetes#114458)", func(string) string { return "source=cache" })
	WatchStreams.Register("of-all", "the one of all watches without metadata (kubernetes#123532)", func(string) string { return "" })
	check.CompactionNotices.Register("unheard", "not at all: it serves history that etcd has compacted (kubernetes#131011)", unheard{})
}

// versionFirst publishes a resourceVersion one step before the store has the
// change.
type versionFirst struct {
	// unstored is a change whose version is out and which the store does not have
	// yet.
	unstored *wire.WatchEvent
}

// cellUnstored is that change.
var cellUnstored = sim.NewCell("cache: change that is not stored yet")

func (p *versionFirst) Reset() { p.unstored = nil }

func (p *versionFirst) Event(env *sim.Env, s *store.Store, in *wire.WatchEvent) store.Event {
	env.Writes(cellUnstored, 0)
	p.unstored = in
	if env.Noting() {
		env.Note(versionOnly{in.ResourceVersion})
	}
	return s.Admit(env, in)
}

func (p *versionFirst) HandOver(env *sim.Env, s *store.Store) {
	env.Reads(cellUnstored, 0)
	if p.unstored == nil {
		return
	}
	env.Writes(cellUnstored, 0)
	s.Update(env, p.unstored)
	p.unstored = nil
}

func (p *versionFirst) Clone() Publisher { c := *p; return &c }

func (p *versionFirst) Fingerprint(d sim.Digest) sim.Digest {
	if p.unstored == nil {
		return d
	}
	return p.unstored.Digest(d)
}

// versionOnly: the version of a change is out before the change.
type versionOnly struct{ resourceVersion int64 }

func (n versionOnly) Text(*sim.World) string {
	return "is at resourceVersion " + number(n.resourceVersion) + ", and its store does not have that change yet"
}

// About implements sim.Subject.
func (n versionOnly) About() sim.About { return sim.About{Revision: n.resourceVersion} }

// dispatched sets the resourceVersion when the dispatcher takes the notification
// from its channel. Events that came in meanwhile have moved the version on, and
// it goes back.
type dispatched struct{}

func (dispatched) Ingested(*sim.Env, *Cache, *wire.WatchEvent) {}

func (dispatched) Dispatched(env *sim.Env, c *Cache, resourceVersion int64) {
	c.TakeProgress(env, resourceVersion, 0)
}

// unheard: the cache never learns of a compaction.
type unheard struct{}

func (unheard) Begin(*sim.Env, *check.Compactions)       {}
func (unheard) Next(*sim.Env, *check.Compactions, int64) {}
