package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/fifo"
)

// dispatcher is the goroutine dispatchEvents with its channel of incoming
// events and its registry of watchers: it gives each event to every watcher. A
// watcher whose channel is full may hold it up for as long as the budget allows,
// and is terminated then.
type dispatcher struct {
	cache *Cache

	watchers []*cacheWatcher
	// conns are the watchers' connections again, close together, because they are
	// searched.
	conns []sim.Conn

	incoming fifo.Queue[store.Event]
	// used is the number of entries of the channel that are taken.
	used int
	// offering: the reflector is blocked in its send.
	offering bool

	// bookmarkWatchers is how many watchers there are that allow bookmarks.
	bookmarkWatchers int
	// lastProcessed is the resourceVersion that a bookmark may carry.
	lastProcessed int64

	// current is the event that the watchers in blocked still have to get;
	// the first of them is waited for.
	current   store.Event
	blocked   []*cacheWatcher
	blockedAt sim.Time
	timeout   sim.Duration
	budget    timeBudget
	// toStop are watchers that ended while current was being dispatched: their
	// channels stay open until that is over.
	toStop []*cacheWatcher
}

// reset makes the dispatcher that of a new process, and keeps its memory.
func (d *dispatcher) reset(c *Cache) {
	d.incoming.Clear()
	clear(d.blocked)
	clear(d.toStop)
	for _, w := range d.watchers {
		w.reset()
	}
	*d = dispatcher{
		cache: c, watchers: d.watchers[:0], conns: d.conns[:0],
		incoming: d.incoming, blocked: d.blocked[:0], toStop: d.toStop[:0],
	}
}

// listed: the version of the first list is one that a bookmark may carry. Those
// of later lists are not: upstream looks for the first one only.
func (d *dispatcher) listed(resourceVersion int64) {
	if d.lastProcessed == 0 {
		d.lastProcessed = resourceVersion
	}
}

// dispatching: an event has reached some watchers and not yet all.
func (d *dispatcher) dispatching() bool { return len(d.blocked) > 0 }

// weight is the number of entries that an event takes in the channel. After a
// change the reflector reports its resourceVersion once more
// (UpdateResourceVersion), which is a second entry.
func weight(e *store.Event) int {
	if e.Bookmark {
		return 1
	}
	return 2
}

// offer puts an event into the channel. It returns false if there is no room:
// the reflector is woken when there may be.
func (d *dispatcher) offer(env *sim.Env, e store.Event) bool {
	d.offering = d.used > 0 && d.used+weight(&e) > d.cache.cfg.IncomingCapacity
	if d.offering {
		return false
	}
	d.used += weight(&e)
	d.incoming.Push(e)
	if !d.dispatching() {
		env.Enable(taskDispatch)
	}
	return true
}

// run takes one event from the channel.
func (d *dispatcher) run(env *sim.Env) {
	d.current = d.incoming.Pop()
	d.used -= weight(&d.current)
	if d.offering {
		env.Enable(taskHandOff)
	}
	// Bookmarks from etcd may come many times a second; watchers get the
	// cache's own instead.
	switch {
	case !d.current.Bookmark:
		d.dispatchEvent(env)
	case d.cache.cfg.Defects.ProgressRV == ProgressRVDispatched:
		d.cache.updateResourceVersion(env, d.current.ResourceVersion, 0)
	}
	if !d.dispatching() {
		d.finishDispatching(env)
	}
}

// dispatchEvent offers the event to every watcher without blocking, and begins
// to wait for those that have no room.
func (d *dispatcher) dispatchEvent(env *sim.Env) {
	for _, w := range d.watchers {
		if w.isRegistered() && !w.add(env, &d.current) {
			d.blocked = append(d.blocked, w)
		}
	}
	if !d.dispatching() {
		return
	}
	env.Cover(dispatchBlocked)
	d.blockedAt = env.Now()
	d.timeout = d.budget.takeAvailable(d.blockedAt)
	env.Arm(timerDispatch, d.timeout)
}

// add is nonblockingAdd.
func (w *cacheWatcher) add(env *sim.Env, e *store.Event) bool {
	if w.input.Len() >= int(w.capacity) && !w.grow(env, e) {
		return false
	}
	w.input.Push(*e)
	if w.endBookmark != endBookmarkSent {
		w.buffered(e)
	}
	if (w.state == watcherStreaming || w.injects) && w.inHand == nil {
		env.Enable(w.task())
	}
	return true
}

// inputTaken: a watcher took from its channel; the dispatcher may be blocked in
// a send to it.
func (d *dispatcher) inputTaken(env *sim.Env, w *cacheWatcher) {
	if !d.dispatching() || d.blocked[0] != w {
		return
	}
	env.Cover(dispatchUnblocked)
	for d.dispatching() && d.blocked[0].add(env, &d.current) {
		d.blocked = d.blocked[:copy(d.blocked, d.blocked[1:])]
	}
	if !d.dispatching() {
		env.Disarm(timerDispatch)
		d.budget.returnUnused(d.timeout - env.Now().Sub(d.blockedAt))
		d.finishDispatching(env)
	}
}

// terminateBlocked: the budget is used up. A watcher that has room by now gets the
// event, the others end.
func (d *dispatcher) terminateBlocked(env *sim.Env) {
	for _, w := range d.blocked {
		if !w.add(env, &d.current) && w.isRegistered() {
			env.Cover(watcherTerminated)
			env.Add(terminatedWatchers, 1)
			if env.Noting() {
				env.Say("terminates a watcher that does not keep up")
			}
			w.terminate(env)
		}
	}
	d.blocked = d.blocked[:0]
	d.finishDispatching(env)
}

func (d *dispatcher) finishDispatching(env *sim.Env) {
	d.lastProcessed = d.current.ResourceVersion
	d.current = store.Event{}
	for _, w := range d.toStop {
		w.close(env)
	}
	d.toStop = d.toStop[:0]
	if d.incoming.Len() > 0 {
		env.Enable(taskDispatch)
	}
	d.armBookmark(env)
}

func (d *dispatcher) fingerprint(h sim.Digest) sim.Digest {
	h = h.Int(int64(d.used)).Bool(d.offering).Int(d.lastProcessed)
	h = h.Int(int64(d.budget.budget)).Int(int64(d.budget.last))
	h = h.Int(int64(d.blockedAt)).Int(int64(d.timeout))
	h = fingerprintEvents(h, &d.incoming)
	h = d.current.Fingerprint(h).Int(int64(len(d.blocked)))
	for _, w := range d.blocked {
		h = h.Int(int64(w.number))
	}
	for _, w := range d.toStop {
		h = h.Int(int64(w.number))
	}
	return h
}

// newWatcher finds room for a watcher. Numbers are small: they number the world's
// tasks and timers too.
func (d *dispatcher) newWatcher() *cacheWatcher {
	for _, w := range d.watchers {
		if w.state == watcherFree {
			return w
		}
	}
	n := len(d.watchers)
	if n < cap(d.watchers) {
		d.watchers = d.watchers[:n+1]
	} else {
		d.watchers = append(d.watchers, nil)
	}
	if d.watchers[n] == nil {
		d.watchers[n] = &cacheWatcher{dispatcher: d, number: n}
	}
	d.conns = append(d.conns, sim.NoConn)
	return d.watchers[n]
}

// watcherOn finds the watcher of a client's connection, nil if there is none.
func (d *dispatcher) watcherOn(conn sim.Conn) *cacheWatcher {
	if i := slices.Index(d.conns, conn); i >= 0 {
		return d.watchers[i]
	}
	return nil
}

// terminateAllWatchers ends the watchers that are registered. One that is still
// starting finds out by the generation.
func (d *dispatcher) terminateAllWatchers(env *sim.Env) {
	for _, w := range d.watchers {
		if w.isRegistered() {
			env.Cover(watcherOutlived)
			w.stop(env)
		}
	}
}

// clone copies the dispatcher for another cache.
func (d *dispatcher) clone(c *Cache) dispatcher {
	e := *d
	e.cache = c
	e.incoming = d.incoming.Clone()
	e.conns = slices.Clone(d.conns)
	e.watchers = make([]*cacheWatcher, len(d.watchers))
	for i, w := range d.watchers {
		e.watchers[i] = w.clone(&c.dispatcher)
	}
	e.blocked, e.toStop = e.same(d.blocked), e.same(d.toStop)
	return e
}

// same are the watchers of this dispatcher with the numbers of those given.
func (d *dispatcher) same(watchers []*cacheWatcher) []*cacheWatcher {
	own := make([]*cacheWatcher, len(watchers))
	for i, w := range watchers {
		own[i] = d.watchers[w.number]
	}
	return own
}
