package dispatch

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/view"
)

// The cells of the registry: cellRegistry is which watchers are given events, cellPlaces which numbers are taken.
var (
	cellRegistry = sim.NewCell("cache: registered watchers")
	cellPlaces   = sim.NewCell("cache: numbers of watchers")
)

// The cells of each watcher; the index is its number.
var (
	// cellTurn is what decides what the watcher does at its next turn; its items
	// are below.
	cellTurn = sim.NewCell("cache: watcher")
	// cellInput is the watcher's channel; an item is an entry by its number.
	cellInput = sim.NewCell("cache: watcher's channel")
	// cellInitial is what is still to be sent of the initial events, with the
	// resourceVersion that the watcher has got to; an item is an event by its
	// resourceVersion.
	cellInitial = sim.NewCell("cache: initial events of a watcher")
	// cellEnd is how far the watcher is with the end of its initial events.
	cellEnd = sim.NewCell("cache: end of initial events")
	// cellBookmark is the last bookmark that was offered to the watcher.
	cellBookmark = sim.NewCell("cache: last bookmark of a watcher")
)

// The items of cellTurn.
const (
	// turnRequest is what the client asked for, turnRegistration that the watcher
	// is given events.
	turnRequest int64 = iota + 1
	turnRegistration
	// turnInHand is the event that the client has no room for.
	turnInHand
	// turnEnd is that the watcher is to end.
	turnEnd
)

// CloneTo makes another dispatcher the copy of this one, for another cache with parts of its own.
func (d *Dispatcher) CloneTo(e *Dispatcher, parts Parts) {
	*e = *d
	e.cfg.Parts = parts
	layout.CloneTo(&e.loop, &d.loop)
	e.conns, e.waits = slices.Clone(d.conns), slices.Clone(d.waits)
	e.watchers = make([]*Watcher, len(d.watchers))
	for i, w := range d.watchers {
		e.watchers[i] = w.clone(e)
	}
}

func (w *Watcher) clone(d *Dispatcher) *Watcher {
	v := *w
	v.dispatcher = d
	v.input = channel{w.input.Clone()}
	v.interval = w.interval.Clone()
	return &v
}

// Cells visits the cells of the dispatcher and its watchers.
func (d *Dispatcher) Cells(visit sim.CellVisitor) {
	layout.Cells(&d.loop, visit)
	places, registered := sim.NewDigest, sim.NewDigest
	for i, w := range d.watchers {
		if w.registered {
			registered = registered.Int(int64(i))
		}
		if w.state != watcherFree {
			places = places.Int(int64(i))
			w.cells(visit)
		}
	}
	visit(cellRegistry, 0, registered)
	visit(cellPlaces, 0, places)
}

// Conns visits the connections of watches, by place.
func (d *Dispatcher) Conns(visit func(sim.Conn)) {
	for _, w := range d.watchers {
		if w.state != watcherFree {
			visit(w.conn)
			visit(w.upstream)
		}
	}
}

func (w *Watcher) cells(visit sim.CellVisitor) {
	turn := w.request.Digest(sim.NewDigest.Word(uint64(w.state)))
	turn = turn.Int(w.required).Bool(w.draining).Int(int64(w.deadline))
	if w.expired || w.reopened {
		turn = turn.Bool(w.expired).Bool(w.reopened)
	}
	if w.inHand != nil {
		turn = w.inHand.Digest(turn)
	}
	visit(cellTurn, w.number, turn)
	input := w.input.Digest(sim.NewDigest.Int(int64(w.capacity)))
	if w.queued {
		input = input.Bool(true)
	}
	visit(cellInput, w.number, input)
	visit(cellInitial, w.number, w.interval.Digest(sim.NewDigest.Int(w.floor)))
	visit(cellEnd, w.number, sim.NewDigest.Word(uint64(w.endBookmark)).Int(w.bookmarkAfter).Int(w.intervalEnd))
	if w.slow != (slow{}) {
		visit(cellSlow, w.number, sim.NewDigest.Int(w.missed).Int(w.position).Bool(w.unsynced))
	}
	visit(cellBookmark, w.number, sim.NewDigest.Int(int64(w.bookmarkAt)).Int(w.bookmarkVersion).Bool(w.lacksBookmark))
}

// Relate adds to a fingerprint what depends on watchers and on the rest of the
// cache: whether the cache is in the generation of readiness in which a watch came,
// and how far the history has moved past the initial events.
func (d *Dispatcher) Relate(h sim.Digest) sim.Digest {
	for i, w := range d.watchers {
		if w.state != watcherFree {
			h = h.Int(int64(i)).Bool(w.generation == d.cfg.Ready.Generation()).Int(int64(w.interval.Behind(d.cfg.Store)))
		}
	}
	return h
}

// Show shows the events that wait for dispatchEvents.
func (d *Dispatcher) Show(visit view.Visitor) {
	var waits []view.Entry
	for _, e := range d.incoming.Value().events.All() {
		waits = append(waits, e.Entry())
	}
	visit("incoming", waits...)
}
