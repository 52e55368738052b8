package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/dispatch/slow"
	"github.com/watchbed/watchbed/testbed"
)

// When a watcher leaves the registry the history has the event that it missed. By the time that
// it begins again the history may have lost it, or have been replaced by that of a new list.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "reinitialised-unchecked",
	Summary:  "a watcher that begins again takes the history for what it was when it stalled, and skips what was evicted or replaced",
	Setting:  "slow-watchers=reinitialised-unchecked",
	Scenario: stalled.Watches, Property: watches.Reliable,
	Why:        "the first event that the history still has does not follow the last one that was sent",
	Further:    []*testbed.Property{watches.KeepUp, watches.Bookmarkable},
	WhyFurther: "what is missing is never sent, and a bookmark says that there is nothing",
})

var _ = dispatch.SlowWatchers.Register("reinitialised-unchecked", "as reinitialised, without another look at how far the history reaches back",
	func() dispatch.CatchUp { return &uncheckedReinitialised{} })

type uncheckedReinitialised struct{ slow.AsNewWatch }

// CatchUp implements dispatch.CatchUp.
func (r *uncheckedReinitialised) CatchUp(env *sim.Env, w *dispatch.Watcher) {
	after := max(w.Floor(env), r.Take(env, w)-1)
	if !w.RegisterAgain(env) {
		w.Leave(env)
		return
	}
	w.Replay(env, after)
}

// Clone implements dispatch.CatchUp.
func (r *uncheckedReinitialised) Clone(*dispatch.Dispatcher) dispatch.CatchUp {
	return &uncheckedReinitialised{slow.AsNewWatch{Misses: r.Own()}}
}
