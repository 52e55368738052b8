package cache

import (
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
	w := c.dispatcher.startWatcher(env, m, req)
	w.state = watcherDelegated
	start := &wire.WatchStart{Prefix: w.prefix, Revision: max(req.ResourceVersion, 0),
		SendInitialEvents: req.SendInitialEvents, AllowBookmarks: isWatchList(req)}
	if start.SendInitialEvents == wire.SendInitialEventsUnset && start.Revision == 0 {
		start.SendInitialEvents = wire.SendInitialEventsTrue
	}
	w.upstream = env.Open(c.cfg.Watch)
	env.Send(w.upstream, start)
}

// delegatedOn finds the watcher that etcd serves on a connection, nil if there is
// none.
func (d *dispatcher) delegatedOn(conn sim.Conn) *cacheWatcher {
	for _, w := range d.watchers {
		if w.state == watcherDelegated && w.upstream == conn {
			return w
		}
	}
	return nil
}

// relay passes an event on to the client of a delegated watch.
func (w *cacheWatcher) relay(env *sim.Env, e *wire.WatchEvent) {
	env.Under(w.cause)
	if !env.CanSend(w.conn) {
		env.Cover(delegatedBlocked)
		w.inHand = e
		env.Hold(w.upstream)
		return
	}
	env.Send(w.conn, e)
	if e.Type == wire.Failed {
		w.endDelegated(env)
	}
}

// relayDrained: the client of a delegated watch has made room.
func (w *cacheWatcher) relayDrained(env *sim.Env) {
	e := w.inHand
	w.inHand = nil
	env.Release(w.upstream)
	w.relay(env, e)
}

// endDelegated: one side of a delegated watch has ended it.
func (w *cacheWatcher) endDelegated(env *sim.Env) {
	env.Cover(delegatedEnded)
	env.Close(w.upstream)
	w.close(env)
}
