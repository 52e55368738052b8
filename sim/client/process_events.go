package client

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// processEvents moves one event from incomingEventChan to resultChan.
func (c *Client) processEvents(env *sim.Env, i int32) {
	w := &c.watches[i]
	env.ReadsItem(cellIncoming, int(i), w.incomingEventChan.First())
	env.WritesItem(cellIncoming, int(i), w.incomingEventChan.First())
	env.LooksAt(cellStartWatching, int(i))
	env.LooksAt(cellPage, int(i))
	env.LooksAt(cellQueued, int(i))
	e := w.incomingEventChan.Pop()
	if w.state == watchQueueing || w.state == watchSyncing && w.sync.hasItems() {
		env.Enable(sim.Task(i*tasksEach + taskStartWatching))
	}
	if r := c.transform(env, e); r != nil {
		env.Under(w.cause)
		env.Send(w.conn, r)
	}
	if w.incomingEventChan.Len() == 0 {
		return
	}
	if env.CanSend(w.conn) {
		env.Enable(sim.Task(i*tasksEach + taskProcessEvents))
	} else {
		env.Cover(resultChanFull)
	}
}

// resultChanHasRoom lets go on who was waiting for it.
func (c *Client) resultChanHasRoom(env *sim.Env, i int32) {
	w := &c.watches[i]
	env.LooksAt(cellIncoming, int(i))
	env.LooksAt(cellStartWatching, int(i))
	if w.incomingEventChan.Len() > 0 {
		env.Cover(resultChanDrained)
		env.Enable(sim.Task(i*tasksEach + taskProcessEvents))
	}
	if w.state == watchFailing {
		env.Enable(sim.Task(i*tasksEach + taskStartWatching))
	}
}

// transform makes what the cache gets of an event. There is nothing to get if a
// deletion came without the object that was deleted.
func (c *Client) transform(env *sim.Env, e event) *wire.WatchEvent {
	ev := e.event
	switch {
	case e.item != nil:
		r := c.result()
		r.Type, r.ResourceVersion, r.Item = wire.Added, e.rev, e.item
		return r
	case ev == nil:
		r := c.result()
		r.Type, r.ResourceVersion, r.ProgressID = wire.Bookmark, e.rev, e.progressID
		r.InitialEventsEnd = e.isInitialEventsEndBookmark
		return r
	case ev.Type == wire.Put:
		r := c.result()
		r.Type, r.ResourceVersion, r.Item = wire.Modified, e.rev, ev.Kv
		if isCreate(ev) {
			r.Type = wire.Added
		}
		return r
	case ev.PrevKv == nil:
		env.Cover(deletionSkipped)
		if env.Noting() {
			env.Note(deletionDropped{key: ev.Kv.Key, rev: ev.Kv.ModRevision})
		}
		return nil
	}
	r := c.result()
	old := *ev.PrevKv
	old.ModRevision = e.rev
	r.Type, r.ResourceVersion, r.Item = wire.Deleted, e.rev, &old
	return r
}

// resultsAtOnce is how many events one block of memory holds.
const resultsAtOnce = 64

func (c *Client) result() *wire.WatchEvent {
	if len(c.results) == 0 {
		c.results = make([]wire.WatchEvent, resultsAtOnce)
	}
	r := &c.results[0]
	c.results = c.results[1:]
	return r
}
