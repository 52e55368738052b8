package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// shouldDelegateWatch says which watches are etcd's to serve.
func (c *Cache) shouldDelegateWatch(req *wire.WatchRequest) bool {
	switch c.cfg.WatchList.WatchDelegation {
	case DelegateWatches:
		return true
	case DelegateUnset:
		return req.ResourceVersion == wire.Unset && req.SendInitialEvents == wire.SendInitialEventsUnset
	}
	return false
}

// delegateWatch passes a watch on to the etcd3 storage. That sends no bookmarks
// to clients but the one that ends initial events, and its streams are not those
// of the cache (the gate SeparateCacheWatchRPC).
func (c *Cache) delegateWatch(env *sim.Env, m *sim.Message, req *wire.WatchRequest) {
	env.Cover(watchDelegated)
	w := c.watchers[c.startWatcher(env, m, req)]
	w.state = watcherDelegated
	start := &wire.WatchStart{Prefix: w.prefix, Revision: max(req.ResourceVersion, 0),
		SendInitialEvents: req.SendInitialEvents, AllowBookmarks: isWatchList(req)}
	if start.SendInitialEvents == wire.SendInitialEventsUnset && start.Revision == 0 {
		start.SendInitialEvents = wire.SendInitialEventsTrue
	}
	w.upstream = env.Open(c.cfg.Watch)
	env.Send(w.upstream, start)
}

// delegatedOn finds the watcher that etcd serves on a connection, -1 if there is
// none.
func (c *Cache) delegatedOn(conn sim.Conn) int {
	return slices.IndexFunc(c.watchers, func(w *cacheWatcher) bool { return w.state == watcherDelegated && w.upstream == conn })
}

// relayEvent passes an event on to the client of a delegated watch.
func (c *Cache) relayEvent(env *sim.Env, conn sim.Conn, e *wire.WatchEvent) {
	i := c.delegatedOn(conn)
	if i < 0 {
		return
	}
	w := c.watchers[i]
	env.Under(w.cause)
	if !env.CanSend(w.conn) {
		env.Cover(delegatedBlocked)
		w.inHand = e
		env.Hold(conn)
		return
	}
	env.Send(w.conn, e)
	if e.Type == wire.Failed {
		c.endDelegated(env, i)
	}
}

// relayDrained: the client of a delegated watch has made room.
func (c *Cache) relayDrained(env *sim.Env, w *cacheWatcher) {
	e := w.inHand
	w.inHand = nil
	env.Release(w.upstream)
	c.relayEvent(env, w.upstream, e)
}

// endDelegated: one side of a delegated watch has ended it.
func (c *Cache) endDelegated(env *sim.Env, i int) {
	env.Cover(delegatedEnded)
	env.Close(c.watchers[i].upstream)
	c.closeWatcher(env, i)
}
