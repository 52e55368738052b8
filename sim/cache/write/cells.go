package write

import "github.com/watchbed/watchbed/sim"

// The cells of writes; the index is a write's number.
var (
	// cellWrite is what a write asks for, and how far it has come.
	cellWrite = sim.NewCell("cache: a write")
	// cellPlaces is which numbers are taken.
	cellPlaces = sim.NewCell("cache: numbers of writes")
)

// Cells visits the cells of the writes.
func (d *Delegator) Cells(visit sim.CellVisitor) {
	places := sim.NewDigest
	for i, w := range d.writes {
		if w.state != free {
			places = places.Int(int64(i))
			visit(cellWrite, i, w.digest())
		}
	}
	visit(cellPlaces, 0, places)
}

func (w *Write) digest() sim.Digest {
	d := sim.NewDigest.Word(uint64(w.state)).Bool(w.current).Bool(w.doubted).Bool(w.same).Text(w.value)
	if w.object != nil {
		d = w.object.Digest(d)
	}
	switch {
	case w.create != nil:
		return w.create.Digest(d)
	case w.update != nil:
		return w.update.Digest(d)
	}
	return w.remove.Digest(d)
}

// Conns visits the connections of writes, by place.
func (d *Delegator) Conns(visit func(sim.Conn)) {
	for _, w := range d.writes {
		if w.state != free {
			visit(w.conn)
			visit(w.call)
		}
	}
}
