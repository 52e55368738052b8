package dispatch

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
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

// endBookmark is where a watcher is with the bookmark that ends its initial
// events. Upstream's names are cacheWatcherWaitingForBookmark,
// cacheWatcherBookmarkReceived and cacheWatcherBookmarkSent.
type endBookmark uint8

const (
	// endBookmarkSent: the client has it, or wants none.
	endBookmarkSent endBookmark = iota
	// endBookmarkWaiting: no bookmark that is late enough has come to input.
	endBookmarkWaiting
	// endBookmarkReceived: it is in input. A watcher that does not keep up is
	// drained before it ends, so that its client can go on from there.
	endBookmarkReceived
)

// Watcher is one client's watch: the goroutine processInterval with its two
// channels, input from the dispatcher and result to the client (upstream's
// cacheWatcher).
type Watcher struct {
	// What the dispatcher looks at for each event comes first: with a
	// thousand watchers it is the memory that costs.

	task sim.Task
	turn
	inputChannel
	initialEnd
	initial
	bookmarks
	slow

	dispatcher *Dispatcher
	// number is the watcher's own in the dispatcher, to which its task and its
	// timer belong.
	number int
	timer  sim.Timer
}

// turn is what decides what the watcher does at its next turn.
type turn struct {
	state.Cell[turn] `cell:"cache: watcher"`
	// registered: the dispatcher gives it events (registry).
	registered bool `cell:"-"`
	state      watcherState
	// takesInput: a turn takes events from input, which some buffers do between
	// initial events as well.
	takesInput bool `cell:"-"`
	// draining: no more events come to input, and the watcher ends when it has
	// sent what is there.
	draining bool
	// expired: a 410 follows what is there, since the history has lost what comes then.
	expired bool
	// reopened: it was stopped, and drains all the same.
	reopened bool
	// inHand is an event that result has no room for.
	inHand *wire.WatchEvent
	// required is the resourceVersion that the client has to be brought to:
	// that of its request, or etcd's when the request came.
	required int64
	// deadline is when the API server ends the watch, 0 for never.
	deadline sim.Time
	request  *wire.WatchRequest
	conn     sim.Conn
	// upstream leads to the client library if etcd serves the watch.
	upstream sim.Conn
	asked    `cell:"-"`
}

// The items of turn.
const (
	// turnRequest is the client's request, turnRegistration that the watcher
	// is given events.
	turnRequest int64 = iota + 1
	turnRegistration
	// turnInHand is the event that the client has no room for.
	turnInHand
	// turnEnd is that the watcher is to end.
	turnEnd
)

// asked is what follows from the request, and from where and when it came.
type asked struct {
	from   sim.NodeID
	cause  sim.Cause
	prefix string
	// triggered: it selects by the field of the resource's trigger, of which it requires
	// triggerValue.
	triggered    bool
	triggerValue string
	// generation of readiness in which the request came.
	generation int
	// began is when the request came.
	began sim.Time
}

// inputChannel is the channel from the dispatcher; an item is an entry by its number.
type inputChannel struct {
	state.Cell[inputChannel] `cell:"cache: watcher's channel"`
	// capacity is how many events it holds.
	capacity int32
	// queued: the initial events have one of the places.
	queued bool
	input  channel
	// maxBuffered is the maximum of events that were in it before the end of the
	// initial events was sent.
	maxBuffered int `cell:"-"`
	// maxObjects is how many of them at most held an object that is in the store no
	// more, timed.
	maxObjects int `cell:"-"`
}

// Clear keeps the memory.
func (i *inputChannel) Clear() {
	i.input.Clear()
	*i = inputChannel{input: i.input}
}

// initial is what is still to be sent of the initial events; an item is an event by its
// resourceVersion.
type initial struct {
	state.Cell[initial] `cell:"cache: initial events of a watcher"`
	// floor is the resourceVersion that the watcher has got to: only later events from input are sent.
	floor    int64
	interval store.Interval
}

// Clear keeps the memory.
func (i *initial) Clear() {
	i.interval.Reset()
	*i = initial{interval: i.interval}
}

// initialEnd is how far the watcher is with the end of its initial events.
type initialEnd struct {
	state.Cell[initialEnd] `cell:"cache: end of initial events"`
	endBookmark            endBookmark
	// The initial events end with a bookmark at bookmarkAfter or later. intervalEnd
	// is the resourceVersion of the bookmark that follows the interval, 0 if none does.
	bookmarkAfter, intervalEnd int64
}

// bookmarks is the last bookmark that was offered to the watcher.
type bookmarks struct {
	state.Cell[bookmarks] `cell:"cache: last bookmark of a watcher"`
	// countsForBookmarks: it is one of the registry's bookmarkWatchers.
	countsForBookmarks bool `cell:"-"`
	// lacksBookmark: the last one was dropped.
	lacksBookmark bool
	// bookmarkAt is when the last bookmark was offered, bookmarkVersion the
	// resourceVersion of the last bookmark that was not dropped.
	bookmarkAt      sim.Time
	bookmarkVersion int64
}

// isSending: its goroutine runs.
func (w *Watcher) isSending() bool {
	return w.state == watcherInitial || w.state == watcherStreaming
}

// Number is the watcher's own among those of its dispatcher.
func (w *Watcher) Number() int { return w.number }

// Request is the client's request.
func (w *Watcher) Request() sim.Payload { return w.request }

// Conn leads to the client, whose node From is.
func (w *Watcher) Conn() sim.Conn { return w.conn }

// From is the client.
func (w *Watcher) From() sim.NodeID { return w.from }

// String names the watcher's task and timer. A timer that was left behind has a name as well.
func (w *Watcher) String() string {
	if w.request == nil {
		return "watcher " + strconv.Itoa(w.number) + ": over"
	}
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
	w.turn.ReadItem(env, turnRegistration)
	if w.queued {
		w.inputChannel.Change(env).queued = false
		w.capacity++
		w.placeFreed(env)
	}
	e, ok := w.next(env)
	switch {
	case !ok:
		return
	case e != nil && !env.CanSend(w.conn):
		env.Cover(watcherBlocked)
		w.turn.ChangeItem(env, turnInHand).inHand = e
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
		w.turn.ReadItem(env, turnInHand)
		w.turn.ChangeItem(env, sim.NoItem).inHand = nil
		return e, true
	}
	for {
		if w.state == watcherInitial {
			if between := w.dispatcher.buffer.Between; w.takesInput && between != nil {
				if e := between(env, w); e != nil {
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
			w.catchUp(env)
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

// nextInitial returns the next event of the interval, or turns to streaming. It
// returns false if the interval is gone from the history.
func (w *Watcher) nextInitial(env *sim.Env) (*wire.WatchEvent, bool) {
	for {
		e, ok := w.interval.Next(env, w.dispatcher.cfg.Store)
		if !ok {
			return nil, false
		}
		if e.ResourceVersion == 0 {
			w.turn.ChangeItem(env, sim.NoItem)
			w.state, w.takesInput = watcherStreaming, true
			w.dispatcher.cfg.Flow.Initialized(env, w.conn)
			return w.takeIntervalEnd(env), true
		}
		w.initial.ChangeItem(env, sim.NoItem).floor = max(w.floor, e.ResourceVersion)
		if sent := w.convert(e.ForWatchers); sent != nil {
			w.initial.ReadItem(env, sent.ResourceVersion)
			env.Cover(initialEventSent)
			env.Add(serialised, 1)
			if w.interval.IsHistory() {
				env.Add(fromHistory, 1)
			}
			return sent, true
		}
	}
}

// nextInput returns the next event from input that the client wants, nil if there
// is none.
func (w *Watcher) nextInput(env *sim.Env) *wire.WatchEvent {
	for w.inputLen(env) > 0 && !w.owes(env) {
		e := w.takeInput(env)
		w.initial.Look(env)
		w.initialEnd.Look(env)
		switch {
		case e.Bookmark && (e.ResourceVersion > w.floor || e.ResourceVersion == w.floor && w.endBookmark != endBookmarkSent):
			return w.convertBookmark(e.ForWatchers)
		case e.ResourceVersion <= w.floor:
			env.Cover(inputBelowFloor)
		default:
			of := e.ForWatchers
			if take := w.dispatcher.buffer.Take; take != nil {
				of = take(env, w, of)
			}
			if sent := w.convert(of); sent != nil {
				return sent
			}
		}
	}
	return nil
}

// inputLen is how many events wait in the watcher's channel.
func (w *Watcher) inputLen(env *sim.Env) int {
	return w.inputChannel.Look(env).input.Len()
}

// takeInput takes the next event from the watcher's channel.
func (w *Watcher) takeInput(env *sim.Env) store.Event {
	w.inputChannel.ReadItem(env, w.input.First())
	w.inputChannel.ChangeItem(env, sim.NoItem)
	e := w.input.Pop()
	w.placeFreed(env)
	return e
}

// placeFreed is called when a place of the watcher's channel has become free.
func (w *Watcher) placeFreed(env *sim.Env) {
	w.dispatcher.inputTaken(env, w)
	if w.bookmarks.Look(env).lacksBookmark {
		w.bookmarks.Change(env)
		w.bookmarkFits(env)
	}
}

// concerns reports whether an event is of an object that the client watches: one under the
// prefix, or the one whose key that is. Upstream lets in keys below that one too, of which an
// API has none (filterWithAttrsAndPrefixFunction).
func (w *Watcher) concerns(e *wire.WatchEvent) bool {
	return e != nil && strings.HasPrefix(e.Item.Key, w.prefix) && (!w.request.Single || len(e.Item.Key) == len(w.prefix))
}

// convert is an event as the client is sent it, nil if it is not.
func (w *Watcher) convert(e *wire.WatchEvent) *wire.WatchEvent {
	if !w.concerns(e) {
		return nil
	}
	return w.selected(e)
}

func (w *Watcher) selected(e *wire.WatchEvent) *wire.WatchEvent {
	selector, e := w.dispatcher.cfg.Shards.OfEvent(w.request.Selector, w.state == watcherInitial, e)
	return w.dispatcher.cfg.Fields.Selected(selector, e)
}

// hasMore reports whether there is something to send at once.
func (w *Watcher) hasMore(env *sim.Env) bool {
	return w.state == watcherInitial || w.draining || w.inputLen(env) > 0 || w.owes(env)
}

// nonblockingAdd puts an event into input. It returns false if there is no room.
func (w *Watcher) nonblockingAdd(env *sim.Env, e *store.Event) bool {
	if env.Recording() {
		w.declareAdd(env)
	}
	if w.input.Len() >= int(w.capacity) && !w.makeRoom(env, e) {
		return false
	}
	what := "event"
	if e.Bookmark {
		what = "bookmark"
	}
	given.Say(env, what, e.ResourceVersion, w.from)
	if put := w.dispatcher.buffer.Put; put != nil && w.endBookmark != endBookmarkSent {
		w.input.Push(put(env, w, *e))
	} else {
		w.input.Push(*e)
	}
	if w.endBookmark != endBookmarkSent {
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
	w.turn.Look(env)
	w.inputChannel.ChangeItem(env, w.input.Next())
}

// makeRoom: a design may have more room for a watcher that has not sent the end of
// its initial events.
func (w *Watcher) makeRoom(env *sim.Env, e *store.Event) bool {
	return w.initialEnd.Look(env).endBookmark != endBookmarkSent && w.dispatcher.buffer.MakeRoom != nil && w.dispatcher.buffer.MakeRoom(env, w, e)
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

// isWatchList: the client asks for initial events and for the bookmark that ends
// them (isListWatchRequest).
func isWatchList(req *wire.WatchRequest) bool {
	return req.SendInitialEvents == wire.SendInitialEventsTrue && req.AllowBookmarks
}

// expectEndBookmark sets the watcher up for the end of its initial events, under
// the locks of its registration (setInitialEventsEndBookmarkIfRequested).
func (w *Watcher) expectEndBookmark(env *sim.Env) {
	if !isWatchList(w.request) {
		return
	}
	w.initialEnd.Change(env)
	at := w.dispatcher.cfg.Store.ResourceVersion(env)
	w.endBookmark = endBookmarkWaiting
	w.takesInput = w.dispatcher.buffer.Between != nil
	w.bookmarkAfter = w.required
	if w.request.ResourceVersion == 0 {
		w.bookmarkAfter = at
	}
	switch {
	case w.dispatcher.cfg.EndByTimer:
		endByTimerExpected.Say(env, w.from, w.bookmarkAfter)
	case w.dispatcher.cfg.StartsAtOnce:
		// The bookmark is part of the first item of the channel (initWatcherIntervalLocked).
		w.intervalEnd, w.bookmarkAfter, w.endBookmark = at, at, endBookmarkReceived
	default:
		w.intervalEnd = at
	}
}

// convertBookmark marks the first bookmark that the client is sent as the end of
// its initial events. None that is too early gets this far.
func (w *Watcher) convertBookmark(e *wire.WatchEvent) *wire.WatchEvent {
	if w.endBookmark == endBookmarkSent {
		return e
	}
	marked := *e
	marked.InitialEventsEnd = true
	return &marked
}

// received notes a bookmark in input (markBookmarkAfterRvAsReceived).
func (w *Watcher) received(env *sim.Env) {
	if w.endBookmark != endBookmarkWaiting {
		return
	}
	env.Cover(endBookmarkByTimer)
	endFound.Say(env, w.bookmarkAfter, w.from)
	w.initialEnd.Change(env).endBookmark = endBookmarkReceived
}

// sent notes what went into result.
func (w *Watcher) sent(env *sim.Env, e *wire.WatchEvent) {
	if e.Type != wire.Bookmark {
		return
	}
	env.Add(bookmarksSent, 1)
	if w.endBookmark == endBookmarkSent {
		return
	}
	w.initialEnd.Change(env).endBookmark = endBookmarkSent
	w.recordInput(env)
	env.Record(watchListDuration, int64(env.Now().Sub(w.began)))
	initialEventsSent.Say(env, w.from, e.ResourceVersion, w.bookmarkAfter)
}

// recordInput records what the channel held at most.
func (w *Watcher) recordInput(env *sim.Env) {
	env.Record(initialEventsBuffered, int64(w.maxBuffered))
	env.Record(initialEventsObjects, int64(w.maxObjects))
}

// Beginning is what a watch waits for before it is sent initial events.
type Beginning struct {
	// At is the resourceVersion that the cache has to reach, 0 for any.
	At int64
	// Within is how long that may take; 0 is as long as a read waits.
	Within sim.Duration
	// HardClose: if it takes longer, the connection is torn down, so that the client
	// connects to another API server. Otherwise the answer is that to a read.
	HardClose bool
}

func (w *Watcher) beginning() Beginning {
	switch {
	case !w.dispatcher.cfg.EndByTimer:
		return Beginning{At: w.required}
	case w.dispatcher.buffer.Begin == nil:
		return Beginning{}
	}
	return w.dispatcher.buffer.Begin(w)
}

// takeIntervalEnd returns the bookmark that follows the interval, nil if there
// is none.
func (w *Watcher) takeIntervalEnd(env *sim.Env) *wire.WatchEvent {
	if w.initialEnd.Look(env).intervalEnd == 0 {
		return nil
	}
	env.Cover(endBookmarkWithInterval)
	w.initialEnd.Read(env)
	w.initialEnd.Change(env)
	e := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: w.intervalEnd}
	w.intervalEnd = 0
	return w.convertBookmark(e)
}

// terminate ends a watcher that does not keep up. One whose channel holds the
// bookmark that ends the initial events is drained: the client can go on from
// there instead of starting over.
func (w *Watcher) terminate(env *sim.Env) {
	if w.initialEnd.Read(env).endBookmark != endBookmarkSent {
		env.Add(terminatedInitial, 1)
		w.recordInput(env)
	}
	if w.endBookmark == endBookmarkReceived {
		env.Cover(watcherDrained)
		w.turn.ChangeItem(env, turnEnd)
		w.dispatcher.registry.Change(env)
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
	return sent.InitialEventsEnd && w.dispatcher.buffer.EndsDrained
}

// TimedOut is called when the time of the watch is over. It ends without an event,
// as a client expects that set TimeoutSeconds.
func (w *Watcher) TimedOut(env *sim.Env) {
	env.Cover(watchDeadline)
	w.leave(env)
}

// leave ends the watch on behalf of its client.
func (w *Watcher) leave(env *sim.Env) {
	switch w.turn.Look(env).state {
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
	if d.occupied(env) && w.registered {
		env.Cover(stopDeferred)
		env.Disable(w.task)
		w.turn.ChangeItem(env, turnEnd)
		w.dispatcher.registry.Change(env)
		b := d.blocked.Change(env)
		w.registered, w.state = false, watcherEnding
		d.cfg.Flow.Finished(env, w.conn)
		b.toStop = append(b.toStop, w.number)
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
		w.leavePasses(env)
	}
	if w.countsForBookmarks {
		d.bookmarkWatchers--
	}
	d.registry.Change(env)
	d.conns[w.number] = sim.NoConn
	d.cfg.Flow.Finished(env, w.conn)
	d.watchers.Forget(env, w)
}

// stopAgain is called for a watcher that was stopped and has no room for the event for which
// the dispatcher has waited: its client has left, it is then to be drained because its channel is full, and both
// happens while one event is dispatched (Cacher.stopWatcherLocked, cacheWatcher.stopLocked).
func (w *Watcher) stopAgain(env *sim.Env) {
	w.initialEnd.Read(env)
	if w.inHand == nil || w.endBookmark != endBookmarkReceived {
		return
	}
	env.Cover(stoppedTwice)
	w.reopened = w.dispatcher.cfg.ReopensStopped
}

// strand leaves a watcher whose client is gone: its goroutine waits for ever for room in the result channel, which no
// client reads.
func (w *Watcher) strand(env *sim.Env) {
	left.Say(env, w.from)
	env.Disable(w.task)
	env.Disarm(w.timer)
	w.turn.ChangeItem(env, turnEnd)
	w.dispatcher.watchers.Change(env)
	w.dispatcher.conns[w.number] = sim.NoConn
	env.Close(w.conn)
}
