package dispatch

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// The dispatcher's cells.
var (
	// cellIncoming is the incoming channel; an item is an entry by its number.
	cellIncoming = sim.NewCell("cache: incoming channel")
	// cellBlocked is the event that is being dispatched, with the watchers that it
	// has not reached and those that are to stop when it has.
	cellBlocked = sim.NewCell("cache: blocked watchers")
	cellBudget  = sim.NewCell("cache: dispatch budget")
	// cellProcessed is the resourceVersion that a bookmark may carry.
	cellProcessed = sim.NewCell("cache: dispatched resourceVersion")
	// cellRegistry is which watchers are given events, cellPlaces which numbers are
	// taken.
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

// CloneTo makes another dispatcher the copy of this one, for another cache with a
// store and surroundings of its own.
func (d *Dispatcher) CloneTo(e *Dispatcher, s *store.Store, around Surroundings) {
	*e = *d
	e.cfg.Store, e.cfg.Surroundings = s, around
	e.incoming = d.incoming.Clone()
	e.conns = slices.Clone(d.conns)
	e.watchers = make([]*Watcher, len(d.watchers))
	for i, w := range d.watchers {
		e.watchers[i] = w.clone(e)
	}
	e.blocked, e.toStop = e.same(d.blocked), e.same(d.toStop)
}

// same are the watchers of this dispatcher with the numbers of those given.
func (d *Dispatcher) same(watchers []*Watcher) []*Watcher {
	own := make([]*Watcher, len(watchers))
	for i, w := range watchers {
		own[i] = d.watchers[w.number]
	}
	return own
}

func (w *Watcher) clone(d *Dispatcher) *Watcher {
	v := *w
	v.dispatcher = d
	v.input = w.input.Clone()
	v.interval = w.interval.Clone()
	return &v
}

// Fingerprint adds the state of the dispatcher to a digest.
func (d *Dispatcher) Fingerprint(h sim.Digest) sim.Digest {
	h = h.Int(int64(d.used)).Bool(d.offering).Int(d.lastProcessed)
	h = h.Int(int64(d.budget.budget)).Int(int64(d.budget.last))
	h = h.Int(int64(d.blockedAt)).Int(int64(d.timeout))
	h = fingerprintEvents(h, &d.incoming)
	h = d.current.Fingerprint(h).Int(int64(len(d.blocked)))
	for _, w := range d.blocked {
		h = h.Int(int64(w.number))
	}
	for _, w := range d.toStop {
		h = h.Int(int64(w.number))
	}
	return h
}

// FingerprintWatchers adds the state of all watchers to a digest. The generation
// is that of the cache's readiness at present.
func (d *Dispatcher) FingerprintWatchers(h sim.Digest, generation int) sim.Digest {
	for _, w := range d.watchers {
		h = w.fingerprint(h, generation)
	}
	return h
}

func (w *Watcher) fingerprint(d sim.Digest, generation int) sim.Digest {
	d = d.Word(uint64(w.state)<<16 | uint64(w.from))
	if w.state == watcherFree {
		return d
	}
	d = w.request.Digest(d).Bool(w.generation == generation).Int(w.floor)
	if w.request.SendInitialEvents != wire.SendInitialEventsUnset {
		d = d.Word(uint64(w.endBookmark)).Int(w.required).Int(w.bookmarkAfter).Int(w.intervalEnd)
	}
	d = w.interval.Fingerprint(d, w.dispatcher.cfg.Store)
	d = fingerprintEvents(d, &w.input).Int(int64(w.capacity)).Bool(w.draining).Int(int64(w.deadline))
	if w.inHand != nil {
		d = w.inHand.Digest(d)
	}
	return d.Int(int64(w.bookmarkAt)).Int(w.bookmarkVersion)
}

func fingerprintEvents(d sim.Digest, q *fifo.Queue[store.Event]) sim.Digest {
	all := q.All()
	d = d.Int(int64(len(all)))
	for i := range all {
		d = all[i].Fingerprint(d)
	}
	return d
}
