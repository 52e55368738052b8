package etcd3

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// wakeProcessEvents lets serialProcessEvents take the next event, if there is one and room for
// what it makes of it: after the time that this takes. A concurrent scheduler takes events by
// itself.
func (w *watchChan) wakeProcessEvents(env *sim.Env) {
	if w.c.cfg.DecodesConcurrently || w.incomingEventChan.Value().Len() == 0 || !env.CanSend(w.loop.Value().conn) {
		return
	}
	if w.c.cfg.DecodeTime == 0 {
		env.Enable(w.processEventsTask())
	} else {
		w.beginDecode(env, 0, &w.incomingEventChan.Value().All()[0])
	}
}

// processEvents moves one event from incomingEventChan to resultChan.
func (w *watchChan) processEvents(env *sim.Env) {
	e := w.incomingEventChan.Pop(env)
	w.wakeWhenRoom(env)
	if w.decodeFails(env, &e) {
		w.fail(env, errDecode)
		return
	}
	w.sendEvent(env, e)
	if w.incomingEventChan.Value().Len() > 0 && !env.CanSend(w.loop.Value().conn) {
		env.Cover(resultChanFull)
	}
	w.wakeProcessEvents(env)
}

// wakeWhenRoom lets startWatching go on if it waits for room in incomingEventChan.
func (w *watchChan) wakeWhenRoom(env *sim.Env) {
	w.page.Look(env)
	w.queued.Look(env)
	if at := w.loop.Look(env).state; at == watchQueueing || at == watchSyncing && w.hasItems() {
		env.Enable(w.startWatchingTask())
	}
}

// sendEvent puts what an event has become into resultChan, which has room, unless that is
// nothing.
func (w *watchChan) sendEvent(env *sim.Env, e event) {
	if r := w.transform(env, e); r != nil {
		l := w.loop.Value()
		env.Under(l.cause)
		env.Send(l.conn, r)
	}
}

// resultChanHasRoom lets the loops go on that were waiting for it.
func (w *watchChan) resultChanHasRoom(env *sim.Env) {
	if incoming := w.incomingEventChan.Look(env); w.c.cfg.DecodesConcurrently {
		w.collect(env)
	} else if incoming.Len() > 0 {
		env.Cover(resultChanDrained)
		w.wakeProcessEvents(env)
	}
	if w.loop.Look(env).state == watchFailing {
		env.Enable(w.startWatchingTask())
	}
}

// transform makes the cache's event of an event. It returns nil for a deletion
// that came without the object that was deleted.
func (w *watchChan) transform(env *sim.Env, e event) *wire.WatchEvent {
	c, ev := w.c, e.event
	switch {
	case e.item != nil:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.Item = wire.Added, e.rev, e.item
		return r
	case ev == nil:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.ProgressID = wire.Bookmark, e.rev, e.progressID
		r.InitialEventsEnd = e.isInitialEventsEndBookmark
		return r
	case ev.Type == wire.Put:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.Item = wire.Modified, e.rev, ev.Kv
		if isCreate(ev) {
			r.Type = wire.Added
		}
		if w.loop.Value().selects {
			r.Prev = ev.PrevKv
		}
		return r
	case w.loop.Value().withoutPrevKV:
		r := c.results.New()
		r.Type, r.ResourceVersion, r.Item = wire.Deleted, e.rev, ev.Kv
		return r
	case ev.PrevKv == nil:
		// Upstream it is an event without an object, which the reflector logs and
		// skips.
		env.Cover(deletionSkipped)
		deletionDropped.Say(env, ev.Kv.Key, ev.Kv.ModRevision)
		return nil
	}
	r := c.results.New()
	old := *ev.PrevKv
	old.ModRevision = e.rev
	r.Type, r.ResourceVersion, r.Item = wire.Deleted, e.rev, &old
	return r
}
