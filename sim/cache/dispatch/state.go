package dispatch

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

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
