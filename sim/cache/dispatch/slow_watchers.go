package dispatch

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// SlowWatcher is a value of SlowWatchers.
type SlowWatcher uint8

// SlowWatchers is the seam of what becomes of a watcher whose channel is full (KEP-6268).
// The shipped value is nil: the dispatcher waits for such watchers in
// dispatchEvent and ends them in terminateBlocked. With the others it never waits.
var SlowWatchers = option.NewSeam[SlowWatcher, *CatchUp]("slow-watchers",
	"what becomes of a watcher whose channel has no room for an event (KEP-6268)").
	Shipped("ended", "the dispatcher waits for it within its budget, and then ends the watch: as shipped", nil).Off(0)

// The other values of slow-watchers, which KEP-6268 weighs.
var (
	// Latch keeps the first event that a watcher missed: later ones are behind it in the history. The dispatcher goes
	// on to offer what comes then.
	Latch = SlowWatchers.Register("latch",
		"it remembers the first event that it missed, and sends the history from there in its turn (KEP-6268, first draft)",
		&CatchUp{})
	// Reinitialised is the proposal made in the review of KEP-6268, its first alternative.
	Reinitialised = SlowWatchers.Register("reinitialised",
		"it leaves the registry, and begins again as a new watch does when it has sent what it has (KEP-6268, Alternatives)",
		&CatchUp{Leaves: true})
	// Groups is the revised KEP-6268, after etcd's synced and unsynced watchers.
	Groups = SlowWatchers.Register("groups",
		"it is unsynced until the dispatcher has served it from the history, together with others, in short passes (KEP-6268, revised)",
		&CatchUp{InPasses: true})
)

// CatchUp is how watchers whose channels had no room for an event come to it later: from
// the history. The history has an event before the dispatcher does, so that an event
// which a channel had no room for is in the history, or was evicted from there.
type CatchUp struct {
	// InPasses: the dispatcher's goroutine gives watchers what they missed (unsynced.go). Otherwise the watcher's own
	// goroutine sends the history from there, before it takes from its channel.
	InPasses bool
	// Leaves: a watcher leaves the registry with the event that it misses, and comes back when it has sent its events.
	Leaves bool

	// ForgetsCovered: what a watcher missed is forgotten once it is behind the watcher's position.
	ForgetsCovered bool
	// ReturnsLate: a watcher that has left comes back when it has sent the history.
	ReturnsLate bool
	// Unchecked: how far the history reaches back is not looked at again.
	Unchecked bool
	// ExpireTogether: all watchers that are unsynced end if the history has lost what one of them needs.
	ExpireTogether bool
}

// slow is what is known of a watcher that missed an event.
type slow struct {
	state.Cell[slow] `cell:"cache: what a slow watcher missed"`
	// missed is the resourceVersion of an event that the watcher missed, 0 if none, and comesBack if it is to be
	// registered.
	missed int64
	// position is the resourceVersion up to which everything that the watcher selects was sent, or is in its channel.
	// It is unsynced if it was not offered all since. Both are kept with passes only.
	position int64
	unsynced bool
}

const comesBack = -1

// dispatchToSlow offers the event to every watcher that it triggers, without blocking.
func (d *Dispatcher) dispatchToSlow(env *sim.Env) {
	e := &d.blocked.Value().current
	rv := e.ResourceVersion
	for _, w := range d.watchers.All() {
		switch {
		case !w.registered || !d.triggers(env, w, e) || !w.isOffered(env, rv):
		case w.nonblockingAdd(env, e):
			w.added(env, rv)
		default:
			env.Cover(watcherMissed)
			env.Add(eventsMissed, 1)
			missed.Say(env, rv, w.from)
			w.miss(env, rv)
		}
	}
	if d.catchUp.InPasses {
		if d.passes.Look(env); d.CatchesUpWatchers() {
			d.armPass(env)
		}
	}
}

// miss notes that the watcher's channel had no room for an event.
func (w *Watcher) miss(env *sim.Env, rv int64) {
	c := w.dispatcher.catchUp
	if c.InPasses {
		w.unsync(env, rv)
		return
	}
	if !c.Leaves {
		if w.slow.Look(env).missed != 0 {
			return
		}
	}
	w.setMissed(env, rv)
	if c.Leaves {
		w.dispatcher.registry.Change(env)
		w.registered = false
	}
}

func (w *Watcher) setMissed(env *sim.Env, rv int64) {
	w.slow.Change(env).missed = rv
}

// owes reports whether the watcher is to be sent what its channel had no room for, before it takes from there: what is
// queued below that event comes first, or all that is queued if the watcher has left the registry.
func (w *Watcher) owes(env *sim.Env) bool {
	c := w.dispatcher.catchUp
	if c == nil || c.InPasses || w.draining {
		return false
	}
	switch missed := w.slow.Look(env).missed; {
	case missed == 0 || missed == comesBack:
		return missed == comesBack
	case c.ForgetsCovered && w.missed <= w.sentUpTo(env):
		w.setMissed(env, 0)
		return false
	}
	return w.inputLen(env) == 0 || !c.Leaves && w.input.All()[0].ResourceVersion >= w.missed
}

// catchUp begins with what the watcher missed. What the channel has of these events is dropped then, because it is not
// after the watcher's position. A watcher that comes back to the registry takes its interval and is registered under
// both locks, as in Cacher.Watch. One that missed an event while it still sent its interval may have been sent that
// event from there.
func (w *Watcher) catchUp(env *sim.Env) {
	c, missed := w.dispatcher.catchUp, w.missed
	after := max(w.sentUpTo(env), missed-1)
	w.setMissed(env, 0)
	switch returns := c.Leaves && (missed == comesBack || !c.ReturnsLate); {
	case missed != comesBack && !c.Unchecked && !w.servable(env, after):
		w.expireNow(env)
	case returns && !w.registerAgain(env):
		w.close(env)
	case missed != comesBack:
		if c.ReturnsLate {
			w.setMissed(env, comesBack)
		}
		w.replay(env, after)
	}
}

// registerAgain puts the watcher back into the registry, if the cache still is the one with which the watch began.
func (w *Watcher) registerAgain(env *sim.Env) bool {
	if !w.inGeneration(env) {
		env.Cover(watchAcrossGenerations)
		return false
	}
	w.turn.ChangeItem(env, turnRegistration)
	w.dispatcher.registry.Change(env)
	w.registered = true
	w.dispatcher.armBookmark(env)
	return true
}

// sentUpTo is the resourceVersion up to which the watcher has been sent all events.
func (w *Watcher) sentUpTo(env *sim.Env) int64 {
	return w.initial.Look(env).floor
}

// servable reports whether the history has all events after a resourceVersion.
func (w *Watcher) servable(env *sim.Env, after int64) bool {
	return after >= w.dispatcher.oldestWatch(env)
}

// replay makes the watcher send the events of the history after a resourceVersion, as at its
// beginning, before it takes from its channel.
func (w *Watcher) replay(env *sim.Env, after int64) {
	env.Cover(watcherReplays)
	env.Add(watcherReplaysTotal, 1)
	replays.Say(env, w.from, after)
	w.initial.Change(env)
	w.turn.ChangeItem(env, sim.NoItem)
	w.floor, w.state, w.takesInput = after, watcherInitial, false
	w.interval.TakeHistory(env, w.dispatcher.cfg.Store, after)
}

// expire ends the watch with a 410 behind what it still has to send: the history has lost
// what comes then.
func (w *Watcher) expire(env *sim.Env) {
	env.Cover(watcherExpired)
	env.Add(expiredWatchers, 1)
	expired.Say(env, w.from)
	w.turn.ChangeItem(env, turnEnd)
	w.dispatcher.registry.Change(env)
	w.registered, w.draining, w.expired = false, true, true
	if w.isSending() && w.inHand == nil {
		env.Enable(w.task)
	}
}

// expireNow ends it with a 410 in place of what it still has to send.
func (w *Watcher) expireNow(env *sim.Env) {
	w.inputChannel.Change(env)
	w.initial.Change(env)
	w.input.Clear()
	w.interval.Reset()
	w.state, w.takesInput = watcherStreaming, true
	w.expire(env)
}

// overtaken: the history has lost what the watch was to be sent at its beginning. It reports
// whether a 410 follows: a new watch ends silently, and so does a watch that has begun again as a new one.
func (w *Watcher) overtaken(env *sim.Env) bool {
	env.Cover(intervalInvalidated)
	if c := w.dispatcher.catchUp; c == nil || c.Leaves {
		overtook.Say(env, w.from)
		w.stop(env)
		return false
	}
	w.expireNow(env)
	return true
}

// takeExpired returns the 410 that ends a watch whose channel is empty, nil if none does.
func (w *Watcher) takeExpired(env *sim.Env) *wire.WatchEvent {
	if !w.expired {
		return nil
	}
	w.turn.ReadItem(env, turnEnd)
	return goneEvent
}

var goneEvent = &wire.WatchEvent{Type: wire.Failed, Err: tooOld}

// CatchesUpWatchers reports whether the timer of the budget is one of catching up.
func (d *Dispatcher) CatchesUpWatchers() bool {
	return slices.ContainsFunc(d.watchers.All(), func(w *Watcher) bool { return w.unsynced })
}

// TimerName is the name of that timer.
func (d *Dispatcher) TimerName() string {
	if d.catchUp != nil {
		return "catch up slow watchers"
	}
	return "dispatch budget"
}
