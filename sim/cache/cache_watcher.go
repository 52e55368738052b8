package cache

import (
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
	// fresh, which goes on for nobody.
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

// cacheWatcher is one client's watch: the goroutine processInterval with its
// two channels, input from the dispatcher and result to the client.
type cacheWatcher struct {
	dispatcher *dispatcher
	// number is the watcher's own in the dispatcher, and that of its task and its
	// timer.
	number int

	// What the dispatcher looks at for each event comes first: with a thousand
	// watchers it is the memory that costs.

	state watcherState
	// endBookmark says how far the watcher is with the end of its initial events.
	endBookmark endBookmark
	// injects: events are taken from input while initial events are sent.
	injects bool
	// draining: no more events come to input, and the watcher ends when it has
	// sent what is there.
	draining bool
	// capacity is how many events input holds.
	capacity int32
	input    fifo.Queue[store.Event]
	// inHand is an event that result has no room for.
	inHand *wire.WatchEvent

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
	// inputBytes is what BufferCapped counts, mostBuffered the most events that
	// were in input before the end of the initial events was sent.
	inputBytes, mostBuffered int

	// countsForBookmarks: it is one of dispatcher.bookmarkWatchers.
	countsForBookmarks bool
	// bookmarkAt and bookmarkVersion are of the last bookmark offered.
	bookmarkAt      sim.Time
	bookmarkVersion int64
}

// isRegistered: the dispatcher knows it.
func (w *cacheWatcher) isRegistered() bool { return w.isSending() && !w.draining }

// isSending: its goroutine runs.
func (w *cacheWatcher) isSending() bool {
	return w.state == watcherInitial || w.state == watcherStreaming
}

func (w *cacheWatcher) task() sim.Task   { return watcherTask(w.number) }
func (w *cacheWatcher) timer() sim.Timer { return watchTimer(w.number) }

// WatchTrigger says whether the dispatcher picks watchers by an index, as that of
// pods by node: the fewer events a watcher is given, the less it need hold. There
// are no selectors on watches here, so that it decides on sizes only.
type WatchTrigger uint8

const (
	// WatchUnindexed: the resource has no index.
	WatchUnindexed WatchTrigger = iota
	// WatchIndexed: it has one that the watch makes no use of, so that it is given
	// everything: 1000 events at most.
	WatchIndexed
	// WatchTriggered: the watch is given the events of one value only: 10.
	WatchTriggered
)

// maxInChannel is by WatchTrigger (maxWatchChanSizeWithoutIndex and its kin).
var maxInChannel = [...]int{WatchUnindexed: 100, WatchIndexed: 1000, WatchTriggered: 10}

// watchCapacity is suggestedWatchChannelSize.
func (c *Cache) watchCapacity(env *sim.Env) int {
	if c.cfg.WatchCapacity > 0 {
		return c.cfg.WatchCapacity
	}
	fresh := int(c.cfg.EventFreshDuration.Seconds())
	aSecond := (c.store.HistoryCapacity(env) + fresh - 1) / fresh
	return min(max(aSecond, 10), maxInChannel[c.cfg.WatchTrigger])
}

// register is the rest of Cacher.Watch: the interval under the cache's lock,
// then, under the registry's too, the check that the cache is still the one
// that the watch began with (#116122).
func (w *cacheWatcher) register(env *sim.Env) {
	c := w.dispatcher.cache
	if !w.takeInterval(env) {
		env.Cover(watchTooOld)
		refuse(env, w.conn, tooOld)
		w.forget(env)
		return
	}
	if c.cfg.Defects.Registration == RegistrationRechecked && (!c.ready.ok || c.ready.generation != w.generation) {
		env.Cover(watchAcrossGenerations)
		w.close(env)
		return
	}
	w.state = watcherInitial
	w.expectEndBookmark(env)
	env.Enable(w.task())
	if w.request.AllowBookmarks {
		w.countsForBookmarks = true
		w.dispatcher.bookmarkWatchers++
		w.bookmarkAt, w.bookmarkVersion = env.Now(), w.floor
		w.dispatcher.armBookmark(env)
	}
}

// run is one turn of the watcher's goroutine: it puts one event into result, or
// waits for room there.
func (w *cacheWatcher) run(env *sim.Env) {
	env.Under(w.cause)
	e := w.inHand
	w.inHand = nil
	switch {
	case e != nil:
	case w.state == watcherStarting:
		w.register(env)
		return
	case w.state == watcherInitial:
		if w.injects {
			e = w.inject(env)
		}
		if e != nil {
			break
		}
		var ok bool
		if e, ok = w.nextInitial(env); !ok {
			env.Cover(intervalInvalidated)
			w.stop(env)
			return
		}
	}
	if e == nil && w.state == watcherStreaming {
		e = w.nextInput(env)
	}
	if e == nil && w.draining && w.state == watcherStreaming {
		w.close(env)
		return
	}
	if e != nil && !env.CanSend(w.conn) {
		env.Cover(watcherBlocked)
		w.inHand = e
		return
	}
	if e != nil {
		env.Send(w.conn, e)
		w.sent(env, e)
		if w.draining && e.InitialEventsEnd && w.dispatcher.cache.cfg.WatchList.Buffer == BufferCloseEnough {
			w.close(env)
			return
		}
	}
	if w.state == watcherInitial || w.input.Len() > 0 || w.draining {
		env.Enable(w.task())
	}
}

// nextInitial returns the next event of the interval, or turns to streaming.
// It returns false if the interval is gone from the history.
func (w *cacheWatcher) nextInitial(env *sim.Env) (*wire.WatchEvent, bool) {
	for {
		e, ok := w.interval.Next(env, &w.dispatcher.cache.store)
		if !ok {
			return nil, false
		}
		if e.ResourceVersion == 0 {
			w.state = watcherStreaming
			return w.takeIntervalEnd(env), true
		}
		w.floor = max(w.floor, e.ResourceVersion)
		if w.wants(e.ForWatchers) {
			env.Cover(initialEventSent)
			return e.ForWatchers, true
		}
	}
}

// nextInput returns the next event from input that the watcher wants, nil if
// there is none.
func (w *cacheWatcher) nextInput(env *sim.Env) *wire.WatchEvent {
	for w.input.Len() > 0 {
		e := w.input.Pop()
		w.taken(&e)
		w.dispatcher.inputTaken(env, w)
		switch {
		case e.Bookmark && (e.ResourceVersion > w.floor || e.ResourceVersion == w.floor && w.endBookmark != endBookmarkSent):
			return w.convertBookmark(e.ForWatchers)
		case e.ResourceVersion <= w.floor:
			env.Cover(inputBelowFloor)
		case w.wants(e.ForWatchers):
			return e.ForWatchers
		}
	}
	return nil
}

func (w *cacheWatcher) wants(e *wire.WatchEvent) bool {
	return e != nil && strings.HasPrefix(e.Item.Key, w.prefix)
}

// watcherHangup: the client has ended its watch (forget), or the storage one that
// was delegated to it.
func (d *dispatcher) watcherHangup(env *sim.Env, conn sim.Conn) {
	w := d.watcherOn(conn)
	if w == nil {
		w = d.delegatedOn(conn)
	}
	if w == nil {
		return
	}
	switch w.state {
	case watcherDelegated:
		w.endDelegated(env)
	case watcherStarting:
		env.Cover(watchLeft)
		w.leaveStarting(env)
	case watcherInitial, watcherStreaming:
		env.Cover(watchLeft)
		w.stop(env)
	}
}

// stop ends the watch, at once or when the event is dispatched that is being
// dispatched.
func (w *cacheWatcher) stop(env *sim.Env) {
	if d := w.dispatcher; d.dispatching() && w.isRegistered() {
		env.Cover(stopDeferred)
		env.Disable(w.task())
		w.state = watcherEnding
		d.toStop = append(d.toStop, w)
		return
	}
	w.close(env)
}

func (w *cacheWatcher) close(env *sim.Env) {
	env.Disable(w.task())
	env.Close(w.conn)
	w.forget(env)
}

// forget frees the watcher's place.
func (w *cacheWatcher) forget(env *sim.Env) {
	if w.deadline != 0 {
		env.Disarm(w.timer())
	}
	if w.countsForBookmarks {
		w.dispatcher.bookmarkWatchers--
	}
	w.dispatcher.conns[w.number] = sim.NoConn
	w.reset()
}

// reset frees the watcher's place and keeps its memory.
func (w *cacheWatcher) reset() {
	w.input.Clear()
	w.interval.Reset()
	*w = cacheWatcher{
		dispatcher: w.dispatcher, number: w.number,
		input: w.input, interval: w.interval,
	}
}

// drained: result has room again.
func (w *cacheWatcher) drained(env *sim.Env) {
	switch {
	case w.inHand == nil:
	case w.isSending():
		env.Enable(w.task())
	case w.state == watcherDelegated:
		w.relayDrained(env)
	}
}

func (w *cacheWatcher) clone(d *dispatcher) *cacheWatcher {
	v := *w
	v.dispatcher = d
	v.input = w.input.Clone()
	v.interval = w.interval.Clone()
	return &v
}

func (w *cacheWatcher) fingerprint(d sim.Digest, s *store.Store, generation int) sim.Digest {
	d = d.Word(uint64(w.state)<<16 | uint64(w.from))
	if w.state == watcherFree {
		return d
	}
	d = w.request.Digest(d).Bool(w.generation == generation).Int(w.floor)
	if w.request.SendInitialEvents != wire.SendInitialEventsUnset {
		d = d.Word(uint64(w.endBookmark)).Int(w.required).Int(w.bookmarkAfter).Int(w.intervalEnd)
	}
	d = w.interval.Fingerprint(d, s)
	d = fingerprintEvents(d, &w.input).Int(int64(w.capacity)).Bool(w.draining).Int(int64(w.deadline))
	if w.inHand != nil {
		d = w.inHand.Digest(d)
	}
	return d.Int(int64(w.bookmarkAt)).Int(w.bookmarkVersion)
}

var tooOld = &wire.Error{Code: wire.ErrCompacted, Message: "too old resource version"}
