package dispatch

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/state"
)

// registry is which watchers are given events.
type registry struct {
	state.Cell[registry] `cell:"cache: registered watchers"`
	watchers             state.Places[Watcher] `cell:"cache: numbers of watchers"`
	// conns are the watchers' connections again, close together, because they are
	// searched.
	conns []sim.Conn
	// bookmarkWatchers is how many watchers there are that allow bookmarks.
	bookmarkWatchers int
}

func (r *registry) forget() {
	r.watchers.Reset()
	r.conns, r.bookmarkWatchers = r.conns[:0], 0
}

func (r *registry) Digest(d sim.Digest) sim.Digest {
	for i, w := range r.watchers.All() {
		if w.registered {
			d = d.Int(int64(i))
		}
	}
	return d
}

// newWatcher finds room for a watcher.
func (d *Dispatcher) newWatcher(env *sim.Env) *Watcher {
	w := d.watchers.Free(env, func(n int) Watcher {
		task, timer := d.cfg.Watcher(n)
		return Watcher{dispatcher: d, number: n, task: task, timer: timer}
	})
	if len(d.conns) < len(d.watchers.All()) {
		d.conns = append(d.conns, sim.NoConn)
	}
	return w
}

func (w *Watcher) Free() bool { return w.state == watcherFree }

// Initializes reports whether the watch that came on a connection has yet to send initial
// events. One that etcd serves counts as initialized.
func (r *registry) Initializes(env *sim.Env, conn sim.Conn) bool {
	return slices.ContainsFunc(r.watchers.Look(env), func(w *Watcher) bool { return w.conn == conn && w.initializes() })
}

// Initializing is the number of those watches, between two steps.
func (r *registry) Initializing() int { return arena.Count(r.watchers.All(), (*Watcher).initializes) }

func (w *Watcher) initializes() bool {
	return w.state == watcherStarting || w.state == watcherLeft || w.state == watcherInitial
}

// Held is the number of watchers that are not forgotten, between two steps. Those
// that drain, or end with the event that is being dispatched, are among them.
func (r *registry) Held() int { return r.watchers.Len() }

// Watches visits the connections of their clients, each with the one to the client library if etcd serves the watch.
func (r *registry) Watches(visit func(client, upstream sim.Conn)) {
	for w := range r.watchers.Used() {
		visit(w.conn, w.upstream)
	}
}

// Queued are the events, and the ends of watches, that the dispatcher and its watchers still have to pass on.
type Queued struct {
	// Incoming are the events in the incoming channel, and the event that has no room there.
	// Ending are watches that end when the event that is dispatched has reached all.
	Incoming, Ending int
	// Dispatching: an event has reached some watchers and not yet all.
	Dispatching bool
	// Unsent are the events in the channels of watches whose clients have room for them.
	Unsent int
	// Oldest is the revision of the first entry in the incoming channel, or else of the first unsent event, which is
	// For that client; 0 if there is none.
	Oldest int64
	For    sim.NodeID
}

// Queued is what there is between two steps.
func (d *Dispatcher) Queued() Queued {
	in := d.incoming.Value()
	q := Queued{Incoming: in.events.Len(), Ending: len(d.blocked.Value().toStop), Dispatching: d.Dispatching()}
	if in.offering {
		q.Incoming++
	}
	if events := in.events.All(); len(events) > 0 {
		q.Oldest = events[0].ResourceVersion
	}
	for _, w := range d.watchers.All() {
		if w.inHand == nil {
			q.Unsent += w.input.Len()
			if w.input.Len() > 0 && q.Oldest == 0 {
				q.Oldest, q.For = w.input.All()[0].ResourceVersion, w.from
			}
		}
	}
	return q
}

// Backlog is what one watcher has in memory of its own that its client was not sent.
type Backlog struct {
	// Queued are the events in its channel, which holds Capacity. Copied are those of its
	// initial events, or of the history, that it has copied to send next.
	Queued, Capacity, Copied int
	// All is how many events are in the channels of all watchers.
	All int
	// Pass is the present pass over unsynced watchers, or the last one.
	Pass Pass
}

// Backlog is that of the watcher whose channel is the fullest, with the most that any has copied
// of the history, between two steps.
func (d *Dispatcher) Backlog() Backlog {
	most := Backlog{Pass: d.passes.Value().done}
	for w := range d.watchers.Used() {
		if queued, capacity := w.input.Len(), int(w.capacity); most.Capacity == 0 || queued-capacity > most.Queued-most.Capacity {
			most.Queued, most.Capacity = queued, capacity
		}
		most.All += w.input.Len()
		if w.interval.IsHistory() {
			most.Copied = max(most.Copied, w.interval.Copied())
		}
	}
	return most
}

// Places is the number of places for watchers, with the free ones.
func (d *Dispatcher) Places() int { return len(d.watchers.All()) }

// HasDeadline reports whether the watch is to end at a given time.
func (w *Watcher) HasDeadline() bool { return w.deadline != 0 }

// Watcher returns a watcher by its number.
func (d *Dispatcher) Watcher(number int) *Watcher { return d.watchers.At(number) }

// on finds the watcher of a client's connection, nil if there is none.
func (d *Dispatcher) on(env *sim.Env, conn sim.Conn) *Watcher {
	if i := slices.Index(d.conns, conn); i >= 0 {
		w := d.watchers.At(i)
		w.turn.Look(env)
		return w
	}
	d.watchers.Look(env)
	return nil
}

// Drained is called when a client has made room in its connection.
func (d *Dispatcher) Drained(env *sim.Env, conn sim.Conn) {
	if w := d.on(env, conn); w != nil {
		w.drained(env)
	}
}

// Hangup is called when the client has ended its watch (forget), or etcd has ended a
// delegated watch.
func (d *Dispatcher) Hangup(env *sim.Env, conn sim.Conn) {
	w := d.on(env, conn)
	if w == nil {
		w = d.delegatedOn(env, conn)
	}
	if w == nil {
		return
	}
	if w.state == watcherStarting || w.isSending() {
		env.Cover(watchLeft)
	}
	w.leave(env)
}

// TerminateAllWatchers ends the watchers that are registered. One that is still
// starting finds out by the generation.
func (d *Dispatcher) TerminateAllWatchers(env *sim.Env) {
	d.registry.Look(env)
	for _, w := range d.watchers.All() {
		if w.registered {
			env.Cover(watcherOutlived)
			w.stop(env)
		}
	}
}

// Replaced is called when a new cache takes the place of this one. What is in
// memory is dropped with Forget.
func (d *Dispatcher) Replaced(env *sim.Env) {
	for _, w := range d.watchers.All() {
		env.Disable(w.task)
		env.Disarm(w.timer)
		if w.state == watcherFree {
			continue
		}
		w.turn.ReadItem(env, turnRegistration)
		if d.cfg.StrandsWatches {
			stranded.Say(env, w.from)
		} else {
			env.Cover(watchTornDown)
			env.Close(w.conn)
		}
		d.cfg.Flow.Finished(env, w.conn)
		env.Close(w.upstream)
	}
}

// CloneTo makes another dispatcher the copy of this one, for another cache with parts of its own.
func (d *Dispatcher) CloneTo(e *Dispatcher, parts Parts) {
	layout.CloneTo(e, d)
	e.cfg.Parts = parts
	e.conns, e.waits = slices.Clone(d.conns), slices.Clone(d.waits)
	for _, w := range e.watchers.All() {
		w.dispatcher = e
	}
}

// Cells visits the cells of the dispatcher and its watchers.
func (d *Dispatcher) Cells(visit sim.CellVisitor) { layout.Cells(d, visit) }

// Conns visits the connections of watches, by place.
func (d *Dispatcher) Conns(visit func(sim.Conn)) { layout.Conns(d, visit) }

// Relate adds to a fingerprint what depends on watchers and on the rest of the
// cache: whether the cache is in the generation of readiness in which a watch came,
// and how far the history has moved past the initial events.
func (d *Dispatcher) Relate(h sim.Digest) sim.Digest {
	for w := range d.watchers.Used() {
		h = h.Int(int64(w.number)).Bool(w.generation == d.cfg.Ready.Generation()).Int(int64(w.interval.Behind(d.cfg.Store)))
	}
	return h
}

// Show shows the events that wait for dispatchEvents.
func (d *Dispatcher) Show(visit sim.PartVisitor) {
	var waits []sim.Entry
	for _, e := range d.incoming.Value().events.All() {
		waits = append(waits, e.Entry())
	}
	visit("incoming", waits...)
}
