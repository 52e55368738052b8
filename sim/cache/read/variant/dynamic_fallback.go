package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
)

// FallbackByWait sends consistent reads to etcd while the cache is slow.
var FallbackByWait = read.Fallbacks.Register("wait-time", "etcd answers them, and one at a time tries the cache (KEP-2340, Alternatives)",
	func() read.Fallback { return &byWait{} })

// byWait lets etcd answer while the last consistent read that the cache was to
// serve waited for Limits.FallbackAfter or more. One read at a time finds out
// whether the cache keeps up again (KEP-2340, "Alternatives").
type byWait struct {
	after sim.Duration
	slow  bool
}

var cellSlow = sim.NewCell("cache: slow")

// Reset implements read.Fallback.
func (f *byWait) Reset(l *read.Limits) { *f = byWait{after: l.FallbackAfter} }

// ServedAtOnce implements read.Fallback.
func (f *byWait) ServedAtOnce(env *sim.Env) { f.set(env, false) }

// ServedAfterWait implements read.Fallback.
func (f *byWait) ServedAfterWait(env *sim.Env, r *read.Read) {
	f.set(env, env.Elapsed(r.Began(), f.after))
}

// TimedOut implements read.Fallback.
func (f *byWait) TimedOut(env *sim.Env) { f.set(env, true) }

func (f *byWait) set(env *sim.Env, slow bool) {
	env.Writes(cellSlow, 0)
	f.slow = slow
}

// Avoids implements read.Fallback.
func (f *byWait) Avoids(env *sim.Env, d *read.Delegator) bool {
	env.Reads(cellSlow, 0)
	return f.slow && d.AnyWaits(env)
}

// Clone implements read.Fallback.
func (f *byWait) Clone() read.Fallback { c := *f; return &c }

// Cells implements read.Fallback.
func (f *byWait) Cells(visit sim.CellVisitor) { visit(cellSlow, 0, sim.NewDigest.Bool(f.slow)) }
