package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Delegation says which watches etcd serves.
type Delegation uint8

// The values of watch-delegation.
const (
	DelegateNone Delegation = iota
	DelegateUnset
	DelegateWatches
)

// Serves reports whether etcd serves a watch.
func (d Delegation) Serves(req *wire.WatchRequest) bool {
	unset := req.ResourceVersion == wire.Unset && req.SendInitialEvents == wire.SendInitialEventsUnset
	return d == DelegateWatches || d == DelegateUnset && unset
}

// delegateWatch passes a watch on to the etcd3 storage. That sends no bookmarks
// to clients but the bookmark at the end of initial events. All delegated watches share
// one stream, and the cache's own may be on it (kubernetes/kubernetes#123532).
func (d *Dispatcher) delegateWatch(env *sim.Env, m *sim.Message, req *wire.WatchRequest) {
	env.Cover(watchDelegated)
	w := d.newCacheWatcher(env, m, req)
	delegated.Say(env, w.from)
	w.state = watcherDelegated
	start := &wire.WatchStart{Prefix: w.prefix, Revision: max(req.ResourceVersion, 0),
		SendInitialEvents: req.SendInitialEvents, AllowBookmarks: isWatchList(req), Selects: !req.Selector.Empty(), Single: req.Single,
		Metadata: d.cfg.UpstreamMetadata, AnnounceStart: req.Announce}
	if start.SendInitialEvents == wire.SendInitialEventsUnset && start.Revision == 0 {
		start.SendInitialEvents = wire.SendInitialEventsTrue
	}
	w.upstream = env.Open(d.cfg.Upstream)
	env.Send(w.upstream, start)
}

// delegatedOn finds the watcher that etcd serves on a connection, nil if there is
// none.
func (d *Dispatcher) delegatedOn(env *sim.Env, conn sim.Conn) *Watcher {
	for _, w := range d.watchers.All() {
		if w.state == watcherDelegated && w.upstream == conn {
			w.turn.ReadItem(env, turnRequest)
			return w
		}
	}
	d.watchers.Look(env)
	return nil
}

// Established tells the client whose watch was delegated that etcd's revision is known.
func (d *Dispatcher) Established(env *sim.Env, conn sim.Conn) {
	if w := d.delegatedOn(env, conn); w != nil {
		env.Under(w.cause)
		d.establish(env, w.conn, w.request)
	}
}

// Relay passes an event of etcd on to the client whose watch was delegated.
func (d *Dispatcher) Relay(env *sim.Env, conn sim.Conn, e *wire.WatchEvent) {
	if w := d.delegatedOn(env, conn); w != nil {
		w.relay(env, e)
	}
}

// relay passes on what the client has selected: etcd knows of no selectors.
func (w *Watcher) relay(env *sim.Env, e *wire.WatchEvent) {
	env.Under(w.cause)
	if e = w.selected(e); e == nil {
		return
	}
	if !env.CanSend(w.conn) {
		env.Cover(delegatedBlocked)
		w.turn.ChangeItem(env, turnInHand).inHand = e
		env.Hold(w.upstream)
		return
	}
	env.Send(w.conn, e)
	if e.Type == wire.Failed {
		w.endDelegated(env)
	}
}

// relayDrained: the client of a delegated watch has made room.
func (w *Watcher) relayDrained(env *sim.Env) {
	w.turn.ReadItem(env, turnInHand)
	w.turn.ChangeItem(env, sim.NoItem)
	e := w.inHand
	w.inHand = nil
	env.Release(w.upstream)
	w.relay(env, e)
}

// endDelegated: one side of a delegated watch has ended it.
func (w *Watcher) endDelegated(env *sim.Env) {
	env.Cover(delegatedEnded)
	env.Close(w.upstream)
	w.close(env)
}
