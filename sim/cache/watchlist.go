package cache

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watch is Cacher.Watch up to where it first blocks.
func (c *Cache) watch(env *sim.Env, m *sim.Message, req *wire.WatchRequest) {
	err := validateWatch(req)
	if err == nil {
		err = c.validateWatchGate(req)
	}
	if err != nil {
		env.Cover(watchInvalid)
		refuse(env, m.Conn, err)
		return
	}
	if c.shouldDelegateWatch(req) {
		c.delegateWatch(env, m, req)
		return
	}
	if !c.ready.ok {
		env.Cover(watchRefusedUnready)
		refuse(env, m.Conn, c.ready.refusal(env.Now()))
		return
	}
	if isWatchList(req) && !c.guard.ConsistentReadSupported(env) {
		env.Cover(watchListUnsupported)
		refuse(env, m.Conn, progressNotTrusted)
		return
	}
	w := c.dispatcher.startWatcher(env, m, req)
	w.state = watcherStarting
	w.generation = c.ready.generation
	if requiresCurrentVersion(req) {
		env.Cover(watchAsksForVersion)
		r := c.newWatchRead(env, m, w)
		r.state = readCurrentRevision
		env.Add(etcdRequests[getCurrentRevision], 1)
		r.call = env.Call(c.cfg.KV, c.currentRevision)
		return
	}
	w.required = max(req.ResourceVersion, 0)
	if at := w.waitsFor(); at > c.store.ResourceVersion(env) {
		c.newWatchRead(env, m, w)
		c.waitUntilFresh(env, c.readOf(w), at)
		return
	}
	env.Enable(w.task())
}

// startWatcher is newCacheWatcher.
func (d *dispatcher) startWatcher(env *sim.Env, m *sim.Message, req *wire.WatchRequest) *cacheWatcher {
	w := d.newWatcher()
	w.request, w.conn, w.from, w.cause = req, m.Conn, m.From, m.Cause
	d.conns[w.number] = m.Conn
	w.prefix = d.cache.listPrefix(req.Prefix)
	w.began = env.Now()
	capacity := d.cache.watchCapacity(env)
	w.capacity = int32(capacity)
	env.Bound(m.Conn, capacity)
	if req.TimeoutSeconds > 0 {
		w.deadline = env.Now() + sim.Time(time.Duration(min(req.TimeoutSeconds, maxTimeout))*time.Second)
		env.Arm(w.timer(), w.deadline.Sub(env.Now()))
	}
	return w
}

// maxTimeout is longer than any run; in nanoseconds it is still a number.
const maxTimeout = 1 << 30

// timedOut: the time of the watch is over. It ends without a word, as a client
// expects that set TimeoutSeconds.
func (w *cacheWatcher) timedOut(env *sim.Env) {
	env.Cover(watchDeadline)
	switch w.state {
	case watcherStarting:
		w.leaveStarting(env)
	case watcherDelegated:
		w.endDelegated(env)
	case watcherInitial, watcherStreaming:
		w.stop(env)
	}
}

// refuse answers a watch with an ERROR event, which is how every error of a
// watch is told once the request has been understood (newErrWatcher).
func refuse(env *sim.Env, conn sim.Conn, err *wire.Error) {
	env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: err})
	env.Close(conn)
}

// requiresCurrentVersion: a watch that gives no resourceVersion has to see
// everything that etcd has committed by now (getWatchCacheResourceVersion). The
// exception is the watch of old, without any option: it is served like one at
// resourceVersion "0".
func requiresCurrentVersion(req *wire.WatchRequest) bool {
	return req.ResourceVersion == wire.Unset && req.SendInitialEvents != wire.SendInitialEventsUnset
}

// waitsFor is the resourceVersion that the cache has to reach before the watch
// begins, 0 for any. Only initial events have to be fresh; any other watch can
// just as well wait for the events themselves
// (waitUntilWatchCacheFreshAndForceAllEvents).
func (w *cacheWatcher) waitsFor() int64 {
	o := &w.dispatcher.cache.cfg.WatchList
	switch {
	case w.request.SendInitialEvents != wire.SendInitialEventsTrue:
		return 0
	case o.waitsToBeClose():
		return w.required - int64(w.capacity) + 1
	case o.InitialEventsEnd == EndByTimer:
		return 0
	}
	return w.required
}

// blockTimeout is how long a read waits for the cache.
func (c *Cache) blockTimeout(r *read) sim.Duration {
	if r.watcher != nil && c.cfg.WatchList.waitsToBeClose() {
		return c.cfg.CloseEnoughTimeout
	}
	return c.cfg.BlockTimeout
}

// newWatchRead enters a watch among the reads that wait for etcd or for the
// cache to be fresh.
func (c *Cache) newWatchRead(env *sim.Env, m *sim.Message, w *cacheWatcher) *read {
	r := &c.reads[c.newRead(env, m)]
	r.watcher = w
	return r
}

// readOf is the read of a watch that is still starting, -1 if it has none.
func (c *Cache) readOf(w *cacheWatcher) int {
	for j := range c.reads {
		if c.reads[j].watcher == w {
			return j
		}
	}
	return -1
}

// watchVersionKnown: etcd has told the revision that a watch has to reach.
func (c *Cache) watchVersionKnown(env *sim.Env, j int, revision int64) {
	w := c.reads[j].watcher
	w.required = revision
	if at := w.waitsFor(); at > c.store.ResourceVersion(env) {
		c.waitUntilFresh(env, j, at)
		return
	}
	c.watchFresh(env, j)
}

// watchFresh: the watch has waited long enough. Upstream lets go of the lock
// here and takes it again for the interval.
func (c *Cache) watchFresh(env *sim.Env, j int) {
	w := c.reads[j].watcher
	c.reads[j] = read{}
	if w.state == watcherLeft {
		w.forget(env)
		return
	}
	env.Enable(w.task())
}

// refused: the watch waited in vain, or etcd did not tell its revision.
func (w *cacheWatcher) refused(env *sim.Env, err *wire.Error) {
	env.Cover(watchRefusedWaiting)
	if err.Code == wire.TooLargeResourceVersion && w.dispatcher.cache.cfg.WatchList.waitsToBeClose() {
		env.Cover(hardClosed)
		err = hardClose
	}
	if w.state != watcherLeft {
		refuse(env, w.conn, err)
	}
	w.forget(env)
}

// leaveStarting: the client of a watch that is not registered yet has gone. A
// question to etcd ends with it; waiting for the cache does not, since
// waitUntilFreshLocked never looks at the context.
func (w *cacheWatcher) leaveStarting(env *sim.Env) {
	c := w.dispatcher.cache
	j := c.readOf(w)
	switch {
	case j < 0:
		w.close(env)
	case c.reads[j].state == readCurrentRevision:
		env.Close(c.reads[j].call)
		c.reads[j] = read{}
		w.close(env)
	default:
		env.Cover(watchLeftWaiting)
		env.Close(w.conn)
		w.state = watcherLeft
	}
}
