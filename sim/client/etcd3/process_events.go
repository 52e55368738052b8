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

// event is etcd3's event: a change, an object that was there before the watch,
// or with neither of them the progress up to rev.
type event struct {
	event *wire.Event
	// item is an object of the initial list (parseKV).
	item *wire.KeyValue
	rev  int64
	// isInitialEventsEndBookmark: rev ends the initial events.
	isInitialEventsEndBookmark bool
	// progressID is the request that the progress answers, 0 if that is not known.
	progressID int64
}

// isProgress reports whether the event has no object.
func (e *event) isProgress() bool { return e.event == nil && e.item == nil }

// object is what the event has to be decoded for: of a deletion that is the object before, or its key if etcd was not
// asked for that.
func (e *event) object() *wire.KeyValue {
	switch {
	case e.item != nil:
		return e.item
	case e.event.Type == wire.Delete && e.event.PrevKv != nil:
		return e.event.PrevKv
	}
	return e.event.Kv
}

func isCreate(e *wire.Event) bool {
	return e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision
}

// Digest implements state.Digester.
func (e *event) Digest(d sim.Digest) sim.Digest {
	d = d.Int(e.rev).Bool(e.isInitialEventsEndBookmark)
	if e.item != nil {
		d = e.item.Digest(d)
	}
	if ev := e.event; ev != nil {
		d = ev.Kv.Digest(d.Word(uint64(ev.Type)))
		if ev.PrevKv != nil {
			d = ev.PrevKv.Digest(d)
		}
	}
	return d
}
