package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// terminate ends a watcher that does not keep up. One whose channel holds the
// bookmark that ends the initial events is drained: the client can go on from
// there instead of starting over.
func (w *Watcher) terminate(env *sim.Env) {
	env.Reads(cellEnd, w.number)
	if w.endBookmark != endBookmarkSent {
		env.Add(terminatedInitial, 1)
		w.recordInput(env)
	}
	if w.endBookmark == endBookmarkReceived {
		env.Cover(watcherDrained)
		env.WritesItem(cellTurn, w.number, turnEnd)
		env.Writes(cellRegistry, 0)
		w.registered, w.draining = false, true
		return
	}
	w.stop(env)
}

// hasDrained reports whether a watcher that is drained has come to its end with
// what it sent just now, nil if there was nothing.
func (w *Watcher) hasDrained(sent *wire.WatchEvent) bool {
	if sent == nil {
		return w.state == watcherStreaming
	}
	if w.expired {
		return sent == goneEvent
	}
	return sent.InitialEventsEnd && w.dispatcher.buffer.EndsDrained()
}

// TimedOut is called when the time of the watch is over. It ends without an event,
// as a client expects that set TimeoutSeconds.
func (w *Watcher) TimedOut(env *sim.Env) {
	env.Cover(watchDeadline)
	w.leave(env)
}

// leave ends the watch on behalf of its client.
func (w *Watcher) leave(env *sim.Env) {
	env.LooksAt(cellTurn, w.number)
	switch w.state {
	case watcherStarting:
		w.leaveStarting(env)
	case watcherDelegated:
		w.endDelegated(env)
	case watcherInitial, watcherStreaming:
		w.stop(env)
	}
}

// stop ends the watch, at once or when the event is dispatched that is being
// dispatched.
func (w *Watcher) stop(env *sim.Env) {
	d := w.dispatcher
	env.LooksAt(cellBlocked, 0)
	if d.occupied() && w.registered {
		env.Cover(stopDeferred)
		env.Disable(w.task)
		env.WritesItem(cellTurn, w.number, turnEnd)
		env.Writes(cellRegistry, 0)
		env.Writes(cellBlocked, 0)
		w.registered, w.state = false, watcherEnding
		d.cfg.Surroundings.Ended(env, w.conn)
		d.toStop = append(d.toStop, w)
		return
	}
	w.close(env)
}

func (w *Watcher) close(env *sim.Env) {
	env.Disable(w.task)
	env.Close(w.conn)
	w.forget(env)
}

// forget frees the watcher's place.
func (w *Watcher) forget(env *sim.Env) {
	if w.deadline != 0 {
		env.Disarm(w.timer)
	}
	if env.Mode() == sim.Timed {
		env.Record(watchDuration, int64(env.Now().Sub(w.began)))
	}
	d := w.dispatcher
	if d.catchUp != nil {
		d.catchUp.Forgot(env, w)
	}
	if w.countsForBookmarks {
		d.bookmarkWatchers--
	}
	env.Writes(cellPlaces, 0)
	env.Writes(cellRegistry, 0)
	w.writesAll(env)
	d.conns[w.number] = sim.NoConn
	d.cfg.Surroundings.Ended(env, w.conn)
	w.reset()
}

// writesAll declares that everything of the watcher changes.
func (w *Watcher) writesAll(env *sim.Env) {
	for _, k := range [...]sim.CellKind{cellTurn, cellInput, cellInitial, cellEnd, cellBookmark} {
		env.Writes(k, w.number)
	}
}

// reset frees the watcher's place and keeps its memory.
func (w *Watcher) reset() {
	w.input.Clear()
	w.interval.Reset()
	*w = Watcher{
		dispatcher: w.dispatcher, number: w.number, task: w.task, timer: w.timer,
		input: w.input, interval: w.interval,
	}
}

// stopAgain is called for a watcher that was stopped and has no room for the event for which
// the dispatcher has waited: its client has left, it is then to be drained because its channel is full, and both
// happens while one event is dispatched (Cacher.stopWatcherLocked, cacheWatcher.stopLocked).
func (w *Watcher) stopAgain(env *sim.Env) {
	env.Reads(cellEnd, w.number)
	if w.inHand == nil || w.endBookmark != endBookmarkReceived {
		return
	}
	env.Cover(stoppedTwice)
	w.reopened = w.dispatcher.cfg.ReopensStopped
}

// strand leaves a watcher whose client is gone: its goroutine waits for ever for room in the result channel, which no client reads.
func (w *Watcher) strand(env *sim.Env) {
	if env.Noting() {
		env.Note(left{w.from})
	}
	env.Disable(w.task)
	env.Disarm(w.timer)
	env.WritesItem(cellTurn, w.number, turnEnd)
	env.Writes(cellPlaces, 0)
	w.dispatcher.conns[w.number] = sim.NoConn
	env.Close(w.conn)
}
