package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// SlowWatcher is a value of SlowWatchers.
type SlowWatcher uint8

// SlowWatchers is the seam of what becomes of a watcher whose channel is full (KEP-6268).
// The shipped value has no implementation: the dispatcher waits for such watchers in
// dispatchEvent and ends them in TerminateBlocked. The others are in package slow; with
// them the dispatcher never waits.
var SlowWatchers = option.NewSeam[SlowWatcher, func() CatchUp]("slow-watchers",
	"what becomes of a watcher whose channel has no room for an event (KEP-6268)").
	Shipped("ended", "the dispatcher waits for it within its budget, and then ends the watch: as shipped", nil)

// CatchUp is how watchers whose channels had no room for an event come to it later: from
// the history. One belongs to one dispatcher.
type CatchUp interface {
	// Reset forgets every watcher. Clone is the same for the clone of the dispatcher.
	Reset(d *Dispatcher)
	Clone(d *Dispatcher) CatchUp
	Cells(visit sim.CellVisitor)

	// Began is called when a watch is registered.
	Began(env *sim.Env, w *Watcher)
	// Offers reports whether the dispatcher offers a watcher an event, OffersBookmark the same of
	// a bookmark. Added is called if the channel took it, Missed if it had no room for an event. A
	// bookmark that finds no room is dropped.
	Offers(env *sim.Env, w *Watcher, resourceVersion int64) bool
	OffersBookmark(env *sim.Env, w *Watcher, resourceVersion int64) bool
	Added(env *sim.Env, w *Watcher, resourceVersion int64)
	Missed(env *sim.Env, w *Watcher, resourceVersion int64)

	// Dispatched is called when an event was offered to all.
	Dispatched(env *sim.Env)

	// Owes reports whether the watcher's goroutine has to do something else than to take the
	// next event from the channel, which may be empty. CatchUp does it: it calls Replay, ExpireNow
	// or Leave.
	Owes(env *sim.Env, w *Watcher) bool
	CatchUp(env *sim.Env, w *Watcher)
	// Taken is called when there is room in the channel again, Forgot when the watch ends.
	Taken(env *sim.Env, w *Watcher)
	Forgot(env *sim.Env, w *Watcher)
	// ExpiresInitial reports whether a watch whose initial events are overtaken by the history
	// ends with a 410, and not silently.
	ExpiresInitial() bool

	// Busy reports whether the dispatcher's goroutine is catching up watchers: Step is its
	// next turn then, and it dispatches nothing meanwhile. Fire is the timer ArmCatchUp.
	Busy() bool
	Step(env *sim.Env)
	Fire(env *sim.Env)
	// Armed reports whether that timer may be set.
	Armed() bool
}

// dispatchToSlow offers the event to every watcher that it triggers, without blocking.
func (d *Dispatcher) dispatchToSlow(env *sim.Env) {
	rv := d.current.ResourceVersion
	for _, w := range d.watchers {
		switch {
		case !w.registered || !d.triggers(env, w, &d.current) || !d.catchUp.Offers(env, w, rv):
		case w.nonblockingAdd(env, &d.current):
			d.catchUp.Added(env, w, rv)
		default:
			env.Cover(watcherMissed)
			env.Add(eventsMissed, 1)
			if env.Noting() {
				env.Note(missed{w.from, rv})
			}
			d.catchUp.Missed(env, w, rv)
		}
	}
	d.catchUp.Dispatched(env)
}

// Registered reports whether the dispatcher gives the watcher events.
func (w *Watcher) Registered(env *sim.Env) bool {
	env.LooksAt(cellRegistry, 0)
	return w.registered
}

// Unregister takes the watcher out of the registry: it is given nothing more, is not ended by
// a relist, and sends what it has.
func (w *Watcher) Unregister(env *sim.Env) {
	env.Writes(cellRegistry, 0)
	w.registered = false
}

// RegisterAgain puts it back, if the cache still is the one with which the watch began.
func (w *Watcher) RegisterAgain(env *sim.Env) bool {
	if !w.inGeneration(env) {
		env.Cover(watchAcrossGenerations)
		return false
	}
	env.WritesItem(cellTurn, w.number, turnRegistration)
	env.Writes(cellRegistry, 0)
	w.registered = true
	w.dispatcher.armBookmark(env)
	return true
}

// Floor is the resourceVersion up to which the watcher has been sent all events.
func (w *Watcher) Floor(env *sim.Env) int64 {
	env.LooksAt(cellInitial, w.number)
	return w.floor
}

// Head is the event that is next in the channel, nil if there is none.
func (w *Watcher) Head(env *sim.Env) *store.Event {
	if w.InputLen(env) == 0 {
		return nil
	}
	return &w.input.All()[0]
}

// HasRoom reports whether the channel takes another event.
func (w *Watcher) HasRoom(env *sim.Env) bool { return w.InputLen(env) < int(w.capacity) }

// Offer puts an event of the history into the channel, if there is room.
func (w *Watcher) Offer(env *sim.Env, e *store.Event) bool { return w.nonblockingAdd(env, e) }

// Selects reports whether the dispatcher gives the watcher an event.
func (w *Watcher) Selects(env *sim.Env, e *store.Event) bool {
	return w.dispatcher.triggers(env, w, e)
}

// Servable reports whether the history has all events after a resourceVersion.
func (w *Watcher) Servable(env *sim.Env, after int64) bool {
	return after >= w.dispatcher.oldestWatch(env)
}

// Store is that of the cache.
func (d *Dispatcher) Store() *store.Store { return d.cfg.Store }

// Replay makes the watcher send the events of the history after a resourceVersion, as at its
// beginning, before it takes from its channel. The caller has asked Servable.
func (w *Watcher) Replay(env *sim.Env, after int64) {
	env.Cover(watcherReplays)
	env.Add(watcherReplaysTotal, 1)
	if env.Noting() {
		env.Note(replays{w.from, after})
	}
	env.Writes(cellInitial, w.number)
	env.WritesItem(cellTurn, w.number, sim.NoItem)
	w.floor, w.state, w.takesInput = after, watcherInitial, false
	w.interval.TakeHistory(env, w.dispatcher.cfg.Store, after)
}

// Expire ends the watch with a 410 behind what it still has to send: the history has lost
// what comes then.
func (w *Watcher) Expire(env *sim.Env) {
	env.Cover(watcherExpired)
	env.Add(expiredWatchers, 1)
	if env.Noting() {
		env.Note(expired{w.from})
	}
	env.WritesItem(cellTurn, w.number, turnEnd)
	env.Writes(cellRegistry, 0)
	w.registered, w.draining, w.expired = false, true, true
	if w.isSending() && w.inHand == nil {
		env.Enable(w.task)
	}
}

// ExpireNow ends it with a 410 in place of what it still has to send.
func (w *Watcher) ExpireNow(env *sim.Env) {
	env.Writes(cellInput, w.number)
	env.Writes(cellInitial, w.number)
	w.input.Clear()
	w.interval.Reset()
	w.state, w.takesInput = watcherStreaming, true
	w.Expire(env)
}

// Leave ends the watch without an event, as one ends that finds its cache started over.
func (w *Watcher) Leave(env *sim.Env) { w.close(env) }

// overtaken: the history has lost what the watch was to be sent at its beginning. It reports
// whether a 410 follows.
func (w *Watcher) overtaken(env *sim.Env) bool {
	env.Cover(intervalInvalidated)
	if c := w.dispatcher.catchUp; c == nil || !c.ExpiresInitial() {
		if env.Noting() {
			env.Note(overtook{w.from})
		}
		w.stop(env)
		return false
	}
	w.ExpireNow(env)
	return true
}

// takeExpired returns the 410 that ends a watch whose channel is empty, nil if none does.
func (w *Watcher) takeExpired(env *sim.Env) *wire.WatchEvent {
	if !w.expired {
		return nil
	}
	env.ReadsItem(cellTurn, w.number, turnEnd)
	return goneEvent
}

var goneEvent = &wire.WatchEvent{Type: wire.Failed, Err: tooOld}

// ArmCatchUp sets the timer of catching up. It is that of the budget, for which a dispatcher
// has no use that never waits.
func (d *Dispatcher) ArmCatchUp(env *sim.Env, after sim.Duration) { env.Arm(d.cfg.Budget, after) }

// DisarmCatchUp takes it back.
func (d *Dispatcher) DisarmCatchUp(env *sim.Env) { env.Disarm(d.cfg.Budget) }

// CatchUpArmed reports whether it is set.
func (d *Dispatcher) CatchUpArmed(env *sim.Env) bool { return env.Armed(d.cfg.Budget) }

// GoOn lets the dispatcher's goroutine take its next turn, of Step or of dispatching. Watchers
// that were stopped meanwhile end now if it is not Busy.
func (d *Dispatcher) GoOn(env *sim.Env) {
	if d.catchUp.Busy() {
		env.Enable(d.cfg.Dispatch)
		return
	}
	d.endStopped(env)
	env.LooksAt(cellIncoming, 0)
	if d.incoming.Len() > 0 {
		env.Enable(d.cfg.Dispatch)
	}
	d.armBookmark(env)
}

// CatchesUpWatchers reports whether the timer of the budget is one of catching up.
func (d *Dispatcher) CatchesUpWatchers() bool { return d.catchUp != nil && d.catchUp.Armed() }

// TimerName names it, as one or the other.
func (d *Dispatcher) TimerName() string {
	if d.catchUp != nil {
		return "catch up slow watchers"
	}
	return "dispatch budget"
}

// PushedFromHistory is called for an event of the history that was given to a number of watchers,
// which share its encoding.
func (d *Dispatcher) PushedFromHistory(env *sim.Env, watchers int) {
	env.Add(serialised, 1)
	env.Add(fromHistory, int64(watchers))
}

// Amounts are those of the dispatcher.
func (d *Dispatcher) Amounts() *Amounts { return &d.cfg.Amounts }

// Free is how many events the channel still takes.
func (w *Watcher) Free(env *sim.Env) int { return int(w.capacity) - w.InputLen(env) }
