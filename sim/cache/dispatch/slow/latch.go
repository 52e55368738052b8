package slow

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
)

// Latch is the first draft of KEP-6268.
var Latch = dispatch.SlowWatchers.Register("latch",
	"it remembers the first event that it missed, and sends the history from there in its turn (KEP-6268, first draft)",
	func() dispatch.CatchUp { return &LatchOfMisses{} })

// LatchOfMisses keeps the first event that each watcher missed: later ones are behind it in the
// history. The dispatcher goes on to offer what comes then.
type LatchOfMisses struct{ Misses }

// Clone implements dispatch.CatchUp.
func (l *LatchOfMisses) Clone(*dispatch.Dispatcher) dispatch.CatchUp {
	return &LatchOfMisses{l.Own()}
}

// Missed implements dispatch.CatchUp.
func (l *LatchOfMisses) Missed(env *sim.Env, w *dispatch.Watcher, resourceVersion int64) {
	if l.First(env, w) == 0 {
		l.Put(env, w, resourceVersion)
	}
}

// Owes implements dispatch.CatchUp: what is queued below the event comes first.
func (l *LatchOfMisses) Owes(env *sim.Env, w *dispatch.Watcher) bool {
	first := l.First(env, w)
	if first == 0 {
		return false
	}
	head := w.Head(env)
	return head == nil || head.ResourceVersion >= first
}

// CatchUp implements dispatch.CatchUp. What the channel has of these events is dropped then,
// because it is not after the watcher's position.
func (l *LatchOfMisses) CatchUp(env *sim.Env, w *dispatch.Watcher) {
	after := max(w.Floor(env), l.Take(env, w)-1)
	if !w.Servable(env, after) {
		w.ExpireNow(env)
		return
	}
	w.Replay(env, after)
}

// ExpiresInitial implements dispatch.CatchUp.
func (*LatchOfMisses) ExpiresInitial() bool { return true }
