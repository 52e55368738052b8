package slow

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// Reinitialised is the proposal made in the review of KEP-6268, its first alternative.
var Reinitialised = dispatch.SlowWatchers.Register("reinitialised",
	"it leaves the registry, and begins again as a new watch does when it has sent what it has (KEP-6268, Alternatives)",
	func() dispatch.CatchUp { return &AsNewWatch{} })

// AsNewWatch keeps the event with which each watcher left the registry.
type AsNewWatch struct{ Misses }

// Clone implements dispatch.CatchUp.
func (r *AsNewWatch) Clone(*dispatch.Dispatcher) dispatch.CatchUp {
	return &AsNewWatch{r.Own()}
}

// Missed implements dispatch.CatchUp.
func (r *AsNewWatch) Missed(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) {
	r.Put(env, w, resourceVersion)
	w.Unregister(env)
}

// Owes implements dispatch.CatchUp.
func (r *AsNewWatch) Owes(env *sim.Env, w *dispatch.Watcher) bool {
	return r.First(env, w) != 0 && w.Head(env) == nil
}

// CatchUp implements dispatch.CatchUp: the interval and the registration under both locks, as in
// Cacher.Watch. A watcher that missed an event while it still sent its interval may have
// been sent that event from there.
func (r *AsNewWatch) CatchUp(env *sim.Env, w *dispatch.Watcher) {
	after := max(w.Floor(env), r.Take(env, w)-1)
	switch {
	case !w.Servable(env, after):
		w.ExpireNow(env)
	case !w.RegisterAgain(env):
		w.Leave(env)
	default:
		w.Replay(env, after)
	}
}

// ExpiresInitial implements dispatch.CatchUp: a new watch whose interval is overtaken ends
// silently.
func (*AsNewWatch) ExpiresInitial() bool { return false }
