package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/dispatch/slow"
	"github.com/watchbed/watchbed/testbed"
)

// A new watch takes its interval and is registered under both locks. One that is re-initialised
// and comes back to the registry when it has sent its interval has neither what was dispatched
// meanwhile nor a reason to look for it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "reinitialised-in-gap",
	Summary:  "a watcher that begins again comes back to the registry behind its interval, and misses what was dispatched in between",
	Setting:  "slow-watchers=reinitialised-in-gap",
	Scenario: stalled.Watches, Property: watches.KeepUp,
	Why:        "the watch is open, and nothing will bring the events that were dispatched while it was not registered",
	Further:    []*testbed.Property{watches.Reliable, watches.Bookmarkable},
	WhyFurther: "a later event shows the gap, and a bookmark says that there is none",
})

var _ = dispatch.SlowWatchers.Register("reinitialised-in-gap", "as reinitialised, but it comes back to the registry when its interval is sent",
	func() dispatch.CatchUp { return &inGap{} })

// comesBack in place of a missed event: the watcher is to be registered.
const comesBack = -1

type inGap struct{ slow.AsNewWatch }

// Owes implements dispatch.CatchUp.
func (r *inGap) Owes(env *sim.Env, w *dispatch.Watcher) bool {
	return r.First(env, w) == comesBack || r.AsNewWatch.Owes(env, w)
}

// CatchUp implements dispatch.CatchUp.
func (r *inGap) CatchUp(env *sim.Env, w *dispatch.Watcher) {
	missed := r.Take(env, w)
	after := max(w.Floor(env), missed-1)
	switch {
	case missed == comesBack && w.RegisterAgain(env):
	case missed == comesBack:
		w.Leave(env)
	case !w.Servable(env, after):
		w.ExpireNow(env)
	default:
		r.Put(env, w, comesBack)
		w.Replay(env, after)
	}
}

// Clone implements dispatch.CatchUp.
func (r *inGap) Clone(*dispatch.Dispatcher) dispatch.CatchUp {
	return &inGap{slow.AsNewWatch{Misses: r.Own()}}
}
