package etcdcache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watcher is a watcher of a client, or the one that fills the store, with the goroutine that takes from its channel.
type watcher struct {
	status watcherStatus
	store  bool
	// next is the first revision that it needs, 0 for any.
	next   int64
	respCh []*wire.WatchResponse
	// closed: the channel is closed behind what is in it, after the response of a compaction if it is compacted.
	closed, compacted bool
	// deaf: applyStorage has ended with an error, and nothing takes from the channel.
	deaf bool
	conn sim.Conn
	// key and end are the range that the client watches; end is empty for one key.
	key, end string
	// hand is the response that the client has taken so much of.
	hand *wire.WatchResponse
	sent int
	// from is the revision from which a watcher is to begin that waits until the cache is ready.
	from  int64
	cause sim.Cause `cell:"-"`
}

type watcherStatus uint8

const (
	watcherNone watcherStatus = iota
	// watcherAwaitsReady: the client waits in WaitReady.
	watcherAwaitsReady
	watcherActive
	watcherLagging
	// watcherStopped: it is registered no more.
	watcherStopped
)

func (w *watcher) isRegistered() bool { return w.status == watcherActive || w.status == watcherLagging }

func (w *watcher) matches(key string) bool {
	return key == w.key || w.end != "" && key >= w.key && key < w.end
}

func (w *watcher) take() *wire.WatchResponse {
	p := w.respCh[0]
	w.respCh = slices.Delete(w.respCh, 0, 1)
	return p
}

// watch is Watch for a client.
func (c *Cache) watch(env *sim.Env, m *sim.Message, p *wire.WatchRequest) {
	env.Bound(m.Conn, 1)
	w := watcher{status: watcherAwaitsReady, conn: m.Conn, from: p.ResourceVersion + 1, cause: m.Cause}
	w.key, w.end = rangeOf(p.Prefix, p.Single)
	if *c.ready.Read(env) {
		c.register(env, w, w.from)
		return
	}
	env.Cover(watchAwaitsReady)
	d := c.demux.Change(env)
	d.watchers = append(d.watchers, w)
}

// serve is one turn of the goroutine of a watcher.
func (c *Cache) serve(env *sim.Env, i int) {
	d := c.demux.Change(env)
	w := &d.watchers[i]
	switch {
	case w.store:
		c.apply(env, i)
		return
	case w.status == watcherNone:
		return
	case w.status == watcherAwaitsReady:
		if *c.ready.Read(env) {
			moved := *w
			d.free(env, i)
			c.register(env, moved, moved.from)
		}
		return
	}
	env.Under(w.cause)
	if w.hand == nil && len(w.respCh) > 0 {
		w.hand, w.sent = w.take(), 0
		c.awaitResync(env)
	}
	for w.hand != nil && env.CanSend(w.conn) {
		c.send(env, w)
	}
	switch {
	case w.hand != nil:
		// The channel to the client has no room (Drained).
	case len(w.respCh) > 0:
		env.Enable(watcherTask(i))
	case w.closed:
		if w.compacted {
			if !env.CanSend(w.conn) {
				return
			}
			env.Send(w.conn, &wire.WatchEvent{Type: wire.Failed, Err: compactedRev})
		}
		env.Close(w.conn)
		d.free(env, i)
	}
}

// send sends the next part of the response in hand.
func (c *Cache) send(env *sim.Env, w *watcher) {
	p := w.hand
	e := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: p.Revision}
	if len(p.Events) > 0 {
		e = eventOf(&p.Events[w.sent])
	}
	if w.sent++; w.sent >= len(p.Events) {
		w.hand = nil
	}
	env.Send(w.conn, e)
}

func eventOf(e *wire.Event) *wire.WatchEvent {
	of := wire.Modified
	switch {
	case e.Type == wire.Delete:
		of = wire.Deleted
	case e.Kv.CreateRevision == e.Kv.ModRevision:
		of = wire.Added
	}
	return &wire.WatchEvent{Type: of, ResourceVersion: e.Kv.ModRevision, Item: e.Kv}
}
