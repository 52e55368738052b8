package slow

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// cellSlow is what a design knows of a watcher; the index is its number.
var cellSlow = sim.NewCell("cache: what a slow watcher missed")

// perWatcher is what a design knows of each watcher, by its number.
type perWatcher[T any] []T

// of is that of a watcher.
func (p *perWatcher[T]) of(w *dispatch.Watcher) *T {
	for w.Number() >= len(*p) {
		var none T
		*p = append(*p, none)
	}
	return &(*p)[w.Number()]
}

// own is a copy.
func (p perWatcher[T]) own() perWatcher[T] { return append(perWatcher[T](nil), p...) }

// served is what designs have in common in which watchers catch up on their own: the
// dispatcher's goroutine has nothing to do with it.
type served struct{}

// Busy implements dispatch.CatchUp.
func (served) Busy() bool { return false }

// Armed implements dispatch.CatchUp.
func (served) Armed() bool { return false }

// Step implements dispatch.CatchUp.
func (served) Step(*sim.Env) {}

// Fire implements dispatch.CatchUp.
func (served) Fire(*sim.Env) {}

// Taken implements dispatch.CatchUp.
func (served) Taken(*sim.Env, *dispatch.Watcher) {}

// Began implements dispatch.CatchUp.
func (served) Began(*sim.Env, *dispatch.Watcher) {}

// Offers implements dispatch.CatchUp: every watcher that is registered is offered everything.
func (served) Offers(*sim.Env, *dispatch.Watcher, int64) bool { return true }

// OffersBookmark implements dispatch.CatchUp.
func (served) OffersBookmark(*sim.Env, *dispatch.Watcher, int64) bool { return true }

// Added implements dispatch.CatchUp.
func (served) Added(*sim.Env, *dispatch.Watcher, int64) {}

// Dispatched implements dispatch.CatchUp.
func (served) Dispatched(*sim.Env) {}

// Misses is the resourceVersion of an event that each watcher missed, 0 if none.
type Misses struct {
	served
	perWatcher[int64]
}

// Reset implements dispatch.CatchUp.
func (m *Misses) Reset(*dispatch.Dispatcher) { clear(m.perWatcher) }

// Own is a copy.
func (m *Misses) Own() Misses { return Misses{perWatcher: m.own()} }

// Cells implements dispatch.CatchUp.
func (m *Misses) Cells(visit sim.CellVisitor) {
	for i, rv := range m.perWatcher {
		if rv != 0 {
			visit(cellSlow, i, sim.NewDigest.Int(rv))
		}
	}
}

// Forgot implements dispatch.CatchUp.
func (m *Misses) Forgot(env *sim.Env, w *dispatch.Watcher) { m.Put(env, w, 0) }

// First is the event that a watcher missed.
func (m *Misses) First(env *sim.Env, w *dispatch.Watcher) int64 {
	env.LooksAt(cellSlow, w.Number())
	return *m.of(w)
}

// Put says that it is another one.
func (m *Misses) Put(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) {
	env.Writes(cellSlow, w.Number())
	*m.of(w) = resourceVersion
}

// Take is First, and the watcher has missed nothing from now on.
func (m *Misses) Take(env *sim.Env, w *dispatch.Watcher) int64 {
	first := *m.of(w)
	m.Put(env, w, 0)
	return first
}
