package mvcc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

var layout = state.Of[WatchableStore]()

// Clone is a store of its own in the same state. The streams of the clone have no
// owners: Adopt gives them theirs. What the arenas have handed out is shared.
func (s *WatchableStore) Clone() *WatchableStore {
	c := layout.Clone(s)
	// To begin another run from the base is to write to it.
	c.base = nil
	c.Store.own(&s.Store)
	c.watchers, c.responses, c.events = s.watchers.Clone(), s.responses.Clone(), s.events.Clone()
	c.evs, c.batches, c.chosen = nil, nil, nil
	for _, ws := range c.streams.All() {
		ws.store, ws.owner = c, nil
		for _, w := range ws.watchers.Value().list {
			w.ws = ws
		}
	}
	v := &c.victims
	v.store = c
	for _, list := range append(append(v.waiting[:len(v.waiting):len(v.waiting)], v.taken...), v.left) {
		for i, w := range list {
			list[i] = c.streams.At(w.ws.slot).find(w.id)
		}
	}
	return c
}

// Adopt gives a stream of a cloned store, by its place, to its owner.
func (s *WatchableStore) Adopt(place int, owner Owner) *WatchStream {
	s.streams.At(place).owner = owner
	return s.streams.At(place)
}

// Cells visits the cells of the watchable store and of its streams, as sim.Celled does.
func (s *WatchableStore) Cells(visit sim.CellVisitor) { layout.Cells(s, visit) }

// Fingerprint covers the store and its streams.
func (s *WatchableStore) Fingerprint(d sim.Digest) sim.Digest {
	return sim.FoldCells(s.Store.fingerprint(d).Bool(s.unpublished), s)
}

func (ws *watchers) Own() {
	block := make([]watcher, len(ws.list))
	ws.list = append([]*watcher(nil), ws.list...)
	for i, w := range ws.list {
		block[i] = *w
		ws.list[i] = &block[i]
	}
}

// Digest tells watchers of all streams apart.
func (w *watcher) Digest(d sim.Digest) sim.Digest {
	b := w.batch.Value()
	d = d.Int(int64(w.ws.slot)).Text(w.key).Text(w.end).Int(w.id).Int(w.startRev).Int(*w.minRev.Value()).
		Word(uint64(*w.group.Value())<<8 | uint64(w.fcs)).Bool(w.compacted).Bool(w.restore)
	return wire.DigestEvents(d.Int(b.moreRev).Bool(b.sent).Bool(b.failed), b.evs)
}

// Digest covers what the response says, and not what was queued before it.
func (r *WatchResponse) Digest(d sim.Digest) sim.Digest {
	return wire.DigestEvents(d.Int(r.ID).Int(r.Revision).Int(r.CompactRevision).Bool(r.Created), r.Events)
}
