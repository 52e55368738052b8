package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
)

// dispatcher is the goroutine dispatchEvents with its channel of incoming
// events: it gives each event to every watcher. A watcher whose channel is full
// may hold it up for as long as the budget allows, and is terminated then.
type dispatcher struct {
	incoming fifo.Queue[watchCacheEvent]
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
	current   watchCacheEvent
	blocked   []int
	blockedAt sim.Time
	timeout   sim.Duration
	budget    timeBudget
	// toStop are watchers that ended while current was being dispatched: their
	// channels stay open until that is over.
	toStop []int
}

func (d *dispatcher) init() {
	d.incoming.Clear()
	*d = dispatcher{incoming: d.incoming, blocked: d.blocked[:0], toStop: d.toStop[:0]}
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
func (e *watchCacheEvent) weight() int {
	if e.bookmark {
		return 1
	}
	return 2
}

// offer puts an event into the channel. It returns false if there is no room:
// the reflector is woken when there may be.
func (c *Cache) offer(env *sim.Env, e watchCacheEvent) bool {
	d := &c.dispatcher
	d.offering = d.used > 0 && d.used+e.weight() > c.cfg.IncomingCapacity
	if d.offering {
		return false
	}
	d.used += e.weight()
	d.incoming.Push(e)
	if !d.dispatching() {
		env.Enable(taskDispatch)
	}
	return true
}

// runDispatch takes one event from the channel.
func (c *Cache) runDispatch(env *sim.Env) {
	d := &c.dispatcher
	d.current = d.incoming.Pop()
	d.used -= d.current.weight()
	if d.offering {
		env.Enable(taskHandOff)
	}
	// Bookmarks from etcd may come many times a second; watchers get the
	// cache's own instead.
	switch {
	case !d.current.bookmark:
		c.dispatchEvent(env)
	case c.cfg.Defects.ProgressRV == ProgressRVDispatched:
		c.updateResourceVersion(env, d.current.resourceVersion, 0)
	}
	if !d.dispatching() {
		c.finishDispatching(env)
	}
}

// dispatchEvent offers the event to every watcher without blocking, and begins
// to wait for those that have no room.
func (c *Cache) dispatchEvent(env *sim.Env) {
	d := &c.dispatcher
	for i, w := range c.watchers {
		if w.isRegistered() && !c.add(env, i, &d.current) {
			d.blocked = append(d.blocked, i)
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
func (c *Cache) add(env *sim.Env, i int, e *watchCacheEvent) bool {
	w := c.watchers[i]
	if w.input.Len() >= int(w.capacity) && !c.grow(env, w, e) {
		return false
	}
	w.input.Push(*e)
	if w.endBookmark != endBookmarkSent {
		w.buffered(e)
	}
	if (w.state == watcherStreaming || w.injects) && w.inHand == nil {
		env.Enable(watcherTask(i))
	}
	return true
}

// inputTaken: a watcher took from its channel; the dispatcher may be blocked in
// a send to it.
func (c *Cache) inputTaken(env *sim.Env, i int) {
	d := &c.dispatcher
	if !d.dispatching() || d.blocked[0] != i {
		return
	}
	env.Cover(dispatchUnblocked)
	for d.dispatching() && c.add(env, d.blocked[0], &d.current) {
		d.blocked = d.blocked[:copy(d.blocked, d.blocked[1:])]
	}
	if !d.dispatching() {
		env.Disarm(timerDispatch)
		d.budget.returnUnused(d.timeout - env.Now().Sub(d.blockedAt))
		c.finishDispatching(env)
	}
}

// terminateBlocked: the budget is used up. Whoever has room by now gets the
// event, the others end.
func (c *Cache) terminateBlocked(env *sim.Env) {
	d := &c.dispatcher
	for _, i := range d.blocked {
		if w := c.watchers[i]; !c.add(env, i, &d.current) && w.isRegistered() {
			env.Cover(watcherTerminated)
			env.Add(terminatedWatchers, 1)
			if env.Noting() {
				env.Say("terminates a watcher that does not keep up")
			}
			c.terminate(env, i)
		}
	}
	d.blocked = d.blocked[:0]
	c.finishDispatching(env)
}

func (c *Cache) finishDispatching(env *sim.Env) {
	d := &c.dispatcher
	d.lastProcessed = d.current.resourceVersion
	d.current = watchCacheEvent{}
	for _, i := range d.toStop {
		c.closeWatcher(env, i)
	}
	d.toStop = d.toStop[:0]
	if d.incoming.Len() > 0 {
		env.Enable(taskDispatch)
	}
	c.armBookmark(env)
}

func (d *dispatcher) fingerprint(h sim.Digest) sim.Digest {
	h = h.Int(int64(d.used)).Bool(d.offering).Int(d.lastProcessed)
	h = h.Int(int64(d.budget.budget)).Int(int64(d.budget.last))
	h = h.Int(int64(d.blockedAt)).Int(int64(d.timeout))
	h = fingerprintEvents(h, &d.incoming)
	h = d.current.fingerprint(h).Int(int64(len(d.blocked)))
	for _, i := range d.blocked {
		h = h.Int(int64(i))
	}
	for _, i := range d.toStop {
		h = h.Int(int64(i))
	}
	return h
}
