package dispatch

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// Run is one turn of the watcher's goroutine: it puts one event into result, or
// waits for room there.
func (w *Watcher) Run(env *sim.Env) {
	env.Under(w.cause)
	if w.state == watcherStarting {
		w.register(env)
		return
	}
	env.ReadsItem(cellTurn, w.number, turnRegistration)
	e, ok := w.next(env)
	switch {
	case !ok:
		return
	case e != nil && !env.CanSend(w.conn):
		env.Cover(watcherBlocked)
		env.WritesItem(cellTurn, w.number, turnInHand)
		w.inHand = e
		return
	case e != nil:
		env.Send(w.conn, e)
		w.sent(env, e)
	}
	switch {
	case w.draining && w.hasDrained(e):
		w.close(env)
	case w.hasMore(env):
		env.Enable(w.task)
	}
}

// next is the event to send now, nil if there is none. It returns false if what
// comes next is gone from the history.
func (w *Watcher) next(env *sim.Env) (*wire.WatchEvent, bool) {
	if e := w.inHand; e != nil {
		env.ReadsItem(cellTurn, w.number, turnInHand)
		env.WritesItem(cellTurn, w.number, sim.NoItem)
		w.inHand = nil
		return e, true
	}
	for {
		if w.state == watcherInitial {
			if w.takesInput {
				if e := w.dispatcher.buffer.Between(env, w); e != nil {
					return e, true
				}
			}
			e, ok := w.nextInitial(env)
			if e != nil {
				return e, true
			}
			if !ok && !w.overtaken(env) {
				return nil, false
			}
		}
		if w.state != watcherStreaming {
			return nil, w.state != watcherFree
		}
		if w.owes(env) {
			w.dispatcher.catchUp.CatchUp(env, w)
			continue
		}
		if e := w.nextInput(env); e != nil {
			return e, true
		}
		if !w.owes(env) {
			return w.takeExpired(env), true
		}
	}
}

// owes reports whether the watcher is to be sent what its channel had no room for, before it
// takes from there.
func (w *Watcher) owes(env *sim.Env) bool {
	c := w.dispatcher.catchUp
	return c != nil && !w.draining && c.Owes(env, w)
}

// nextInput returns the next event from input that the client wants, nil if there
// is none.
func (w *Watcher) nextInput(env *sim.Env) *wire.WatchEvent {
	for w.InputLen(env) > 0 && !w.owes(env) {
		e := w.TakeInput(env)
		env.LooksAt(cellInitial, w.number)
		env.LooksAt(cellEnd, w.number)
		switch {
		case e.Bookmark && (e.ResourceVersion > w.floor || e.ResourceVersion == w.floor && w.endBookmark != endBookmarkSent):
			return w.convertBookmark(e.ForWatchers)
		case e.ResourceVersion <= w.floor:
			env.Cover(inputBelowFloor)
		default:
			if sent := w.Convert(w.dispatcher.buffer.Take(env, w, e.ForWatchers)); sent != nil {
				return sent
			}
		}
	}
	return nil
}

// InputLen is how many events wait in the watcher's channel.
func (w *Watcher) InputLen(env *sim.Env) int {
	env.LooksAt(cellInput, w.number)
	return w.input.Len()
}

// TakeInput takes the next event from the watcher's channel.
func (w *Watcher) TakeInput(env *sim.Env) store.Event {
	env.ReadsItem(cellInput, w.number, w.input.First())
	env.WritesItem(cellInput, w.number, sim.NoItem)
	e := w.input.Pop()
	w.dispatcher.inputTaken(env, w)
	env.LooksAt(cellBookmark, w.number)
	if w.lacksBookmark {
		env.Writes(cellBookmark, w.number)
		w.bookmarkFits(env)
	}
	return e
}

// Concerns reports whether an event is of an object that the client watches: one under the
// prefix, or the one whose key that is. Upstream lets in keys below that one too, of which an
// API has none (filterWithAttrsAndPrefixFunction).
func (w *Watcher) Concerns(e *wire.WatchEvent) bool {
	return e != nil && strings.HasPrefix(e.Item.Key, w.prefix) && (!w.request.Single || len(e.Item.Key) == len(w.prefix))
}

// Convert is an event as the client is sent it, nil if it is not.
func (w *Watcher) Convert(e *wire.WatchEvent) *wire.WatchEvent {
	if !w.Concerns(e) {
		return nil
	}
	return w.dispatcher.cfg.Fields.Selected(w.request.Selector, e)
}

// hasMore reports whether there is something to send at once.
func (w *Watcher) hasMore(env *sim.Env) bool {
	return w.state == watcherInitial || w.draining || w.InputLen(env) > 0 || w.owes(env)
}

// nonblockingAdd puts an event into input. It returns false if there is no room.
func (w *Watcher) nonblockingAdd(env *sim.Env, e *store.Event) bool {
	if env.Recording() {
		w.declareAdd(env)
	}
	if w.input.Len() >= int(w.capacity) && !w.makeRoom(env, e) {
		return false
	}
	if w.endBookmark == endBookmarkSent {
		w.input.Push(*e)
	} else {
		w.input.Push(w.dispatcher.buffer.Put(env, w, *e))
		w.measureInput(env)
	}
	if w.takesInput && w.inHand == nil {
		env.Enable(w.task)
	}
	return true
}

// measureInput notes what the watcher's channel holds before the end of the initial
// events. It declares nothing: no step depends on it.
func (w *Watcher) measureInput(env *sim.Env) {
	if w.input.Len() <= w.maxBuffered && w.input.Len() <= w.maxObjects {
		return
	}
	w.maxBuffered = max(w.maxBuffered, w.input.Len())
	if env.Mode() == sim.Timed {
		w.maxObjects = max(w.maxObjects, w.dispatcher.cfg.Store.Outdated(w.input.All()))
	}
}

// declareAdd stands apart, because the dispatcher adds to a thousand watchers at a
// time.
func (w *Watcher) declareAdd(env *sim.Env) {
	env.LooksAt(cellTurn, w.number)
	env.WritesItem(cellInput, w.number, w.input.Next())
}

// makeRoom: a design may have more room for a watcher that has not sent the end of
// its initial events.
func (w *Watcher) makeRoom(env *sim.Env, e *store.Event) bool {
	env.LooksAt(cellEnd, w.number)
	return w.endBookmark != endBookmarkSent && w.dispatcher.buffer.MakeRoom(env, w, e)
}

// drained: result has room again.
func (w *Watcher) drained(env *sim.Env) {
	switch {
	case w.inHand == nil:
	case w.isSending():
		env.Enable(w.task)
	case w.state == watcherDelegated:
		w.relayDrained(env)
	}
}
