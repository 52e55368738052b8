package slow

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// Groups is the revised KEP-6268, after etcd's synced and unsynced watchers.
var Groups = dispatch.SlowWatchers.Register("groups",
	"it is unsynced until the dispatcher has served it from the history, together with others, in short passes (KEP-6268, revised)",
	func() dispatch.CatchUp { return NewGroups(expiresAlone) })

// Expires reports whether a watcher that is at a position is ended by a 410, of those that are
// unsynced, of which the lowest position is given.
type Expires func(env *sim.Env, w *dispatch.Watcher, position, lowest int64) bool

func expiresAlone(env *sim.Env, w *dispatch.Watcher, position, _ int64) bool {
	return !w.Servable(env, position)
}

// NewGroups is the design with another rule of when watchers expire.
func NewGroups(e Expires) dispatch.CatchUp { return &groups{expires: e} }

// cellPass is the pass that is under way.
var cellPass = sim.NewCell("cache: pass of catching up watchers")

// groups keeps which watchers are unsynced, and the pass that is under way.
type groups struct {
	expires    Expires
	dispatcher *dispatch.Dispatcher
	members    perWatcher[member]
	// unsynced is how many of them are.
	unsynced int
	pass     pass
	// cursor is the resourceVersion at which the last cohort stopped, rotation the number of the
	// first watcher of the next choice, if there are too many for a pass.
	cursor   int64
	rotation int
	// period is the time from one pass to the next.
	period sim.Duration
}

// member is what the dispatcher knows of a watcher.
type member struct {
	// position is P.
	position int64
	unsynced bool
}

// The periods between passes.
const (
	periodStalled = 10 * time.Millisecond
	periodBusy    = time.Millisecond
	periodIdle    = 100 * time.Millisecond
)

// Reset implements dispatch.CatchUp.
func (g *groups) Reset(d *dispatch.Dispatcher) {
	clear(g.members)
	*g = groups{expires: g.expires, dispatcher: d, members: g.members[:0]}
}

// Clone implements dispatch.CatchUp.
func (g *groups) Clone(d *dispatch.Dispatcher) dispatch.CatchUp {
	c := *g
	c.dispatcher, c.members, c.pass = d, g.members.own(), g.pass.clone()
	return &c
}

// Cells implements dispatch.CatchUp.
func (g *groups) Cells(visit sim.CellVisitor) {
	for i, m := range g.members {
		if m != (member{}) {
			visit(cellSlow, i, sim.NewDigest.Int(m.position).Bool(m.unsynced))
		}
	}
	if g.pass.under || g.cursor != 0 || g.rotation != 0 {
		visit(cellPass, 0, g.pass.digest(sim.NewDigest.Int(g.cursor).Int(int64(g.rotation)).Int(int64(g.period))))
	}
}

// Began implements dispatch.CatchUp: what the watch begins with, a state or a part of the history,
// goes up to where the store is. The document does not say where the position begins. At the
// resourceVersion that the client gave, a watch could stall with an event that its interval has,
// and be ended by a 410 for history that its client needs no more.
func (g *groups) Began(env *sim.Env, w *dispatch.Watcher) {
	env.Writes(cellSlow, w.Number())
	*g.members.of(w) = member{position: max(w.Floor(env), g.dispatcher.Store().ResourceVersion(env))}
}

// Offers implements dispatch.CatchUp.
func (g *groups) Offers(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) bool {
	env.LooksAt(cellSlow, w.Number())
	m := g.members.of(w)
	return !m.unsynced && resourceVersion > m.position
}

// OffersBookmark implements dispatch.CatchUp.
func (g *groups) OffersBookmark(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) bool {
	env.LooksAt(cellSlow, w.Number())
	m := g.members.of(w)
	return !m.unsynced && resourceVersion >= m.position
}

// Added implements dispatch.CatchUp.
func (g *groups) Added(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) {
	env.Writes(cellSlow, w.Number())
	g.members.of(w).position = resourceVersion
}

// Missed implements dispatch.CatchUp.
func (g *groups) Missed(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) {
	env.Writes(cellSlow, w.Number())
	env.Writes(cellPass, 0)
	m := g.members.of(w)
	m.position, m.unsynced = max(m.position, resourceVersion-1), true
	g.unsynced++
	if g.period == periodIdle && g.dispatcher.CatchUpArmed(env) {
		g.dispatcher.ArmCatchUp(env, periodStalled)
	}
	g.period = periodStalled
}

// Dispatched implements dispatch.CatchUp.
func (g *groups) Dispatched(env *sim.Env) {
	env.LooksAt(cellPass, 0)
	if g.unsynced > 0 {
		g.arm(env)
	}
}

// Owes implements dispatch.CatchUp: the dispatcher does all.
func (*groups) Owes(*sim.Env, *dispatch.Watcher) bool { return false }

// CatchUp implements dispatch.CatchUp.
func (*groups) CatchUp(*sim.Env, *dispatch.Watcher) {}

// ExpiresInitial implements dispatch.CatchUp.
func (*groups) ExpiresInitial() bool { return true }

// Taken implements dispatch.CatchUp: a pass may serve the watcher now.
func (g *groups) Taken(env *sim.Env, w *dispatch.Watcher) {
	env.LooksAt(cellSlow, w.Number())
	if g.members.of(w).unsynced {
		g.arm(env)
	}
}

// Forgot implements dispatch.CatchUp.
func (g *groups) Forgot(env *sim.Env, w *dispatch.Watcher) {
	env.Writes(cellSlow, w.Number())
	g.leave(env, w)
	*g.members.of(w) = member{}
}

// leave: the watcher is unsynced no more.
func (g *groups) leave(env *sim.Env, w *dispatch.Watcher) {
	m := g.members.of(w)
	if !m.unsynced {
		return
	}
	env.Writes(cellPass, 0)
	m.unsynced = false
	g.unsynced--
	if g.unsynced == 0 {
		g.dispatcher.DisarmCatchUp(env)
	}
}

// Busy implements dispatch.CatchUp.
func (g *groups) Busy() bool { return g.pass.under }

// Armed implements dispatch.CatchUp.
func (g *groups) Armed() bool { return g.unsynced > 0 }

// arm sets the timer of the next pass. The goroutine looks every 100 ms at least while a
// watcher is unsynced. Untimed, the timer rests while a pass would find nothing to do, so that a
// run without time comes to its end.
func (g *groups) arm(env *sim.Env) {
	if g.pass.under || g.dispatcher.CatchUpArmed(env) {
		return
	}
	if env.Mode() == sim.Timed && g.unsynced > 0 || g.hasWork(env) {
		g.dispatcher.ArmCatchUp(env, g.period)
	}
}

// hasWork reports whether a pass would serve a watcher or end one.
func (g *groups) hasWork(env *sim.Env) bool {
	lowest := g.lowest()
	for n := range g.members {
		w := g.dispatcher.Watcher(n)
		env.LooksAt(cellSlow, n)
		if m := &g.members[n]; m.unsynced && w.Registered(env) && (w.HasRoom(env) || g.expires(env, w, m.position, lowest)) {
			return true
		}
	}
	return false
}

// lowest is the lowest position of those that are unsynced.
func (g *groups) lowest() int64 {
	var lowest int64
	for _, m := range g.members {
		if m.unsynced && (lowest == 0 || m.position < lowest) {
			lowest = m.position
		}
	}
	return lowest
}
