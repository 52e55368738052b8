package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/dispatch/slow"
	"github.com/watchbed/watchbed/testbed"
)

// A watcher stalls again while it sends what it missed. The event that it misses then may be among
// those that it is sending, and later ones that it misses are not: the latch has one place, and
// stands for them as well.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "latch-covered",
	Summary:  "a watcher that stalls while it sends what it missed forgets the new miss, because it was sent that event from the history",
	Setting:  "slow-watchers=latch-covered",
	Scenario: stalled.Relisted, Property: watches.KeepUp,
	Why:        "the events behind the one that was remembered are missing, until the next stall or for ever",
	Further:    []*testbed.Property{watches.Reliable, watches.Bookmarkable, watches.Resumable},
	WhyFurther: "what comes then shows the gap, and a bookmark says that there is none",
})

var _ = dispatch.SlowWatchers.Register("latch-covered", "as latch, and what it missed is forgotten once it is behind its position",
	func() dispatch.CatchUp { return &latchCovered{} })

type latchCovered struct{ slow.LatchOfMisses }

// Owes implements dispatch.CatchUp.
func (l *latchCovered) Owes(env *sim.Env, w *dispatch.Watcher) bool {
	if first := l.First(env, w); first != 0 && first <= w.Floor(env) {
		l.Put(env, w, 0)
		return false
	}
	return l.LatchOfMisses.Owes(env, w)
}

// Clone implements dispatch.CatchUp.
func (l *latchCovered) Clone(*dispatch.Dispatcher) dispatch.CatchUp {
	return &latchCovered{slow.LatchOfMisses{Misses: l.Own()}}
}
