package cache

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
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
	input    fifo.Queue[watchCacheEvent]
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
	interval interval
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

func (c *Cache) newWatcher() int {
	for i, w := range c.watchers {
		if w.state == watcherFree {
			return i
		}
	}
	n := len(c.watchers)
	if n < cap(c.watchers) {
		c.watchers = c.watchers[:n+1]
	} else {
		c.watchers = append(c.watchers, nil)
	}
	if c.watchers[n] == nil {
		c.watchers[n] = &cacheWatcher{}
	}
	c.watcherConns = append(c.watcherConns, sim.NoConn)
	return n
}

// watcherOn finds the watcher of a client's connection, -1 if there is none.
func (c *Cache) watcherOn(conn sim.Conn) int { return slices.Index(c.watcherConns, conn) }

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

// mostInChannel is by WatchTrigger (maxWatchChanSizeWithoutIndex and its kin).
var mostInChannel = [...]int{WatchUnindexed: 100, WatchIndexed: 1000, WatchTriggered: 10}

// watchCapacity is suggestedWatchChannelSize.
func (c *Cache) watchCapacity() int {
	if c.cfg.WatchCapacity > 0 {
		return c.cfg.WatchCapacity
	}
	fresh := int(c.cfg.EventFreshDuration.Seconds())
	aSecond := (c.watchCache.history.capacity + fresh - 1) / fresh
	return min(max(aSecond, 10), mostInChannel[c.cfg.WatchTrigger])
}

// register is the rest of Cacher.Watch: the interval under the cache's lock,
// then, under the registry's too, the check that the cache is still the one
// that the watch began with (#116122).
func (c *Cache) register(env *sim.Env, i int) {
	w := c.watchers[i]
	if !c.takeInterval(env, w) {
		env.Cover(watchTooOld)
		refuse(env, w.conn, tooOld)
		c.forget(env, i)
		return
	}
	if c.cfg.Defects.Registration == RegistrationRechecked && (!c.ready.ok || c.ready.generation != w.generation) {
		env.Cover(watchAcrossGenerations)
		c.closeWatcher(env, i)
		return
	}
	w.state = watcherInitial
	c.expectEndBookmark(env, w)
	env.Enable(watcherTask(i))
	if w.request.AllowBookmarks {
		w.countsForBookmarks = true
		c.dispatcher.bookmarkWatchers++
		w.bookmarkAt, w.bookmarkVersion = env.Now(), w.floor
		c.armBookmark(env)
	}
}

// runWatcher is one turn of the watcher's goroutine: it puts one event into
// result, or waits for room there.
func (c *Cache) runWatcher(env *sim.Env, i int) {
	w := c.watchers[i]
	env.Under(w.cause)
	e := w.inHand
	w.inHand = nil
	switch {
	case e != nil:
	case w.state == watcherStarting:
		c.register(env, i)
		return
	case w.state == watcherInitial:
		if w.injects {
			e = c.inject(env, i)
		}
		if e != nil {
			break
		}
		var ok bool
		if e, ok = c.nextInitial(env, w); !ok {
			env.Cover(intervalInvalidated)
			c.stopWatcher(env, i)
			return
		}
	}
	if e == nil && w.state == watcherStreaming {
		e = c.nextInput(env, i)
	}
	if e == nil && w.draining && w.state == watcherStreaming {
		c.closeWatcher(env, i)
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
		if w.draining && e.InitialEventsEnd && c.cfg.WatchList.Buffer == BufferCloseEnough {
			c.closeWatcher(env, i)
			return
		}
	}
	if w.state == watcherInitial || w.input.Len() > 0 || w.draining {
		env.Enable(watcherTask(i))
	}
}

// nextInitial returns the next event of the interval, or turns to streaming.
// It returns false if the interval is gone from the history.
func (c *Cache) nextInitial(env *sim.Env, w *cacheWatcher) (*wire.WatchEvent, bool) {
	for {
		e, ok := w.interval.next(&c.watchCache.history)
		if !ok {
			return nil, false
		}
		if e.resourceVersion == 0 {
			w.state = watcherStreaming
			return w.takeIntervalEnd(env), true
		}
		w.floor = max(w.floor, e.resourceVersion)
		if w.wants(e.event) {
			env.Cover(initialEventSent)
			return e.event, true
		}
	}
}

// nextInput returns the next event from input that the watcher wants, nil if
// there is none.
func (c *Cache) nextInput(env *sim.Env, i int) *wire.WatchEvent {
	w := c.watchers[i]
	for w.input.Len() > 0 {
		e := w.input.Pop()
		w.taken(&e)
		c.inputTaken(env, i)
		switch {
		case e.bookmark && (e.resourceVersion > w.floor || e.resourceVersion == w.floor && w.endBookmark != endBookmarkSent):
			return w.convertBookmark(e.event)
		case e.resourceVersion <= w.floor:
			env.Cover(inputBelowFloor)
		case w.wants(e.event):
			return e.event
		}
	}
	return nil
}

func (w *cacheWatcher) wants(e *wire.WatchEvent) bool {
	return e != nil && strings.HasPrefix(e.Item.Key, w.prefix)
}

// watcherHangup: the client has ended its watch (forget), or the storage one that
// was delegated to it.
func (c *Cache) watcherHangup(env *sim.Env, conn sim.Conn) {
	i := c.watcherOn(conn)
	if i < 0 {
		i = c.delegatedOn(conn)
	}
	if i < 0 {
		return
	}
	switch c.watchers[i].state {
	case watcherDelegated:
		c.endDelegated(env, i)
	case watcherStarting:
		env.Cover(watchLeft)
		c.leaveStarting(env, i)
	case watcherInitial, watcherStreaming:
		env.Cover(watchLeft)
		c.stopWatcher(env, i)
	}
}

// terminateAllWatchers ends the watchers that are registered. One that is still
// starting finds out by the generation.
func (c *Cache) terminateAllWatchers(env *sim.Env) {
	for i, w := range c.watchers {
		if w.isRegistered() {
			env.Cover(watcherOutlived)
			c.stopWatcher(env, i)
		}
	}
}

func (c *Cache) stopWatcher(env *sim.Env, i int) {
	if w := c.watchers[i]; c.dispatcher.dispatching() && w.isRegistered() {
		env.Cover(stopDeferred)
		env.Disable(watcherTask(i))
		w.state = watcherEnding
		c.dispatcher.toStop = append(c.dispatcher.toStop, i)
		return
	}
	c.closeWatcher(env, i)
}

func (c *Cache) closeWatcher(env *sim.Env, i int) {
	env.Disable(watcherTask(i))
	env.Close(c.watchers[i].conn)
	c.forget(env, i)
}

// forget frees a watcher's place.
func (c *Cache) forget(env *sim.Env, i int) {
	if c.watchers[i].deadline != 0 {
		env.Disarm(watchTimer(i))
	}
	if c.watchers[i].countsForBookmarks {
		c.dispatcher.bookmarkWatchers--
	}
	c.watcherConns[i] = sim.NoConn
	c.watchers[i].reset()
}

// reset frees the watcher's place and keeps its memory.
func (w *cacheWatcher) reset() {
	w.input.Clear()
	clear(w.interval.buffer)
	*w = cacheWatcher{input: w.input, interval: interval{buffer: w.interval.buffer[:0]}}
}

// Drained implements sim.Drained: result has room again.
func (c *Cache) Drained(env *sim.Env, conn sim.Conn) {
	i := c.watcherOn(conn)
	if i < 0 || c.watchers[i].inHand == nil {
		return
	}
	switch w := c.watchers[i]; {
	case w.isSending():
		env.Enable(watcherTask(i))
	case w.state == watcherDelegated:
		c.relayDrained(env, w)
	}
}

func (w *cacheWatcher) clone() *cacheWatcher {
	d := *w
	d.input = w.input.Clone()
	d.interval = w.interval.clone()
	return &d
}

func (w *cacheWatcher) fingerprint(d sim.Digest, h *history, generation int) sim.Digest {
	d = d.Word(uint64(w.state)<<16 | uint64(w.from))
	if w.state == watcherFree {
		return d
	}
	d = w.request.Digest(d).Bool(w.generation == generation).Int(w.floor)
	if w.request.SendInitialEvents != wire.SendInitialEventsUnset {
		d = d.Word(uint64(w.endBookmark)).Int(w.required).Int(w.bookmarkAfter).Int(w.intervalEnd)
	}
	d = w.interval.fingerprint(d, h)
	d = fingerprintEvents(d, &w.input).Int(int64(w.capacity)).Bool(w.draining).Int(int64(w.deadline))
	if w.inHand != nil {
		d = w.inHand.Digest(d)
	}
	return d.Int(int64(w.bookmarkAt)).Int(w.bookmarkVersion)
}

var tooOld = &wire.Error{Code: wire.ErrCompacted, Message: "too old resource version"}
