package dispatch

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

type watcherState uint8

const (
	watcherFree watcherState = iota
	// watcherStarting: the cache was ready when the request came; the watcher
	// is not registered yet.
	watcherStarting
	// watcherLeft: the client went while its watch waited for the cache to be
	// fresh. The wait goes on to its end.
	watcherLeft
	// watcherInitial: processInterval sends what happened before.
	watcherInitial
	// watcherStreaming: process sends what the dispatcher gives.
	watcherStreaming
	// watcherDelegated: etcd serves it, and the cache passes on what comes.
	watcherDelegated
	// watcherEnding: stopped while an event was being dispatched; it sends
	// nothing more, and its channel stays until that is over.
	watcherEnding
)

// Watcher is one client's watch: the goroutine processInterval with its two
// channels, input from the dispatcher and result to the client (upstream's
// cacheWatcher).
type Watcher struct {
	// What the dispatcher looks at for each event comes first: with a thousand
	// watchers it is the memory that costs.

	state watcherState
	// endBookmark says how far the watcher is with the end of its initial events.
	endBookmark endBookmark
	// takesInput: events are taken from input already, be it between initial
	// events.
	takesInput bool
	// draining: no more events come to input, and the watcher ends when it has
	// sent what is there.
	draining bool
	// capacity is how many events input holds.
	capacity int32
	input    fifo.Queue[store.Event]
	// inHand is an event that result has no room for.
	inHand *wire.WatchEvent
	task   sim.Task

	dispatcher *Dispatcher
	// number is the watcher's own in the dispatcher, to which its task and its
	// timer belong.
	number int
	timer  sim.Timer

	request *wire.WatchRequest
	conn    sim.Conn
	// upstream leads to the client library if etcd serves the watch.
	upstream sim.Conn
	from     sim.NodeID
	cause    sim.Cause
	prefix   string
	// generation of readiness in which the request came.
	generation int
	// began is when the request came, deadline when the API server ends the watch,
	// 0 for never.
	began, deadline sim.Time

	// required is the resourceVersion that the client has to be brought to:
	// the one that it gave, or etcd's when it came.
	required int64
	interval store.Interval
	// floor: only later events from input are sent.
	floor int64
	// The initial events end with a bookmark at bookmarkAfter or later. intervalEnd
	// is the resourceVersion of the one that follows the interval, 0 if none does.
	bookmarkAfter, intervalEnd int64
	// maxBuffered is the maximum of events that were in input before the end of the
	// initial events was sent.
	maxBuffered int

	// countsForBookmarks: it is one of the registry's bookmarkWatchers.
	countsForBookmarks bool
	// bookmarkAt and bookmarkVersion are of the last bookmark offered.
	bookmarkAt      sim.Time
	bookmarkVersion int64
}

// isRegistered: the dispatcher gives it events.
func (w *Watcher) isRegistered() bool { return w.isSending() && !w.draining }

// isSending: its goroutine runs.
func (w *Watcher) isSending() bool {
	return w.state == watcherInitial || w.state == watcherStreaming
}

// Number is the watcher's own among those of its dispatcher.
func (w *Watcher) Number() int { return w.number }

// Request is what the client asked for.
func (w *Watcher) Request() *wire.WatchRequest { return w.request }

// Conn leads to the client, whose node From is.
func (w *Watcher) Conn() sim.Conn { return w.conn }

// From is the client.
func (w *Watcher) From() sim.NodeID { return w.from }

// String names the watcher's task and timer.
func (w *Watcher) String() string {
	return "watcher " + strconv.Itoa(w.number) + ": " + w.request.Label()
}

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
		env.Cover(intervalInvalidated)
		w.stop(env)
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
	if w.state == watcherInitial {
		if w.takesInput {
			if e := w.dispatcher.buffer.Between(env, w); e != nil {
				return e, true
			}
		}
		if e, ok := w.nextInitial(env); e != nil || !ok {
			return e, ok
		}
	}
	if w.state == watcherStreaming {
		return w.nextInput(env), true
	}
	return nil, true
}

// nextInput returns the next event from input that the client wants, nil if there
// is none.
func (w *Watcher) nextInput(env *sim.Env) *wire.WatchEvent {
	for w.InputLen(env) > 0 {
		e := w.TakeInput(env)
		env.LooksAt(cellInitial, w.number)
		env.LooksAt(cellEnd, w.number)
		switch {
		case e.Bookmark && (e.ResourceVersion > w.floor || e.ResourceVersion == w.floor && w.endBookmark != endBookmarkSent):
			return w.convertBookmark(e.ForWatchers)
		case e.ResourceVersion <= w.floor:
			env.Cover(inputBelowFloor)
		case w.Wants(e.ForWatchers):
			return e.ForWatchers
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
	return e
}

// Wants reports whether an event is of an object that the client watches.
func (w *Watcher) Wants(e *wire.WatchEvent) bool {
	return e != nil && strings.HasPrefix(e.Item.Key, w.prefix)
}

// hasMore reports whether there is something to send at once.
func (w *Watcher) hasMore(env *sim.Env) bool {
	return w.state == watcherInitial || w.draining || w.InputLen(env) > 0
}

// nonblockingAdd puts an event into input. It returns false if there is no room.
func (w *Watcher) nonblockingAdd(env *sim.Env, e *store.Event) bool {
	if env.Recording() {
		w.declareAdd(env)
	}
	if w.input.Len() >= int(w.capacity) && !w.makeRoom(env, e) {
		return false
	}
	w.input.Push(*e)
	if w.endBookmark != endBookmarkSent {
		w.maxBuffered = max(w.maxBuffered, w.input.Len())
	}
	if w.takesInput && w.inHand == nil {
		env.Enable(w.task)
	}
	return true
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

// terminate ends a watcher that does not keep up. One whose channel holds the
// bookmark that ends the initial events is drained: the client can go on from
// there instead of starting over.
func (w *Watcher) terminate(env *sim.Env) {
	env.Reads(cellEnd, w.number)
	if w.endBookmark != endBookmarkSent {
		env.Add(terminatedInitial, 1)
		env.Record(initialEventsBuffered, int64(w.maxBuffered))
	}
	if w.endBookmark == endBookmarkReceived {
		env.Cover(watcherDrained)
		env.WritesItem(cellTurn, w.number, turnEnd)
		env.Writes(cellRegistry, 0)
		w.draining = true
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
	return sent.InitialEventsEnd && w.dispatcher.buffer.EndsDrained()
}

// TimedOut is called when the time of the watch is over. It ends without a word,
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
	if d.dispatching() && w.isRegistered() {
		env.Cover(stopDeferred)
		env.Disable(w.task)
		env.WritesItem(cellTurn, w.number, turnEnd)
		env.Writes(cellRegistry, 0)
		env.Writes(cellBlocked, 0)
		w.state = watcherEnding
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
	d := w.dispatcher
	if w.countsForBookmarks {
		d.bookmarkWatchers--
	}
	env.Writes(cellPlaces, 0)
	env.Writes(cellRegistry, 0)
	w.writesAll(env)
	d.conns[w.number] = sim.NoConn
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
