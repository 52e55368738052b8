package mvcc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

var victimsShape = state.ShapeOf[syncVictims]()

// Clone is a store of its own in the same state. The streams of the clone have no
// owners: Adopt gives them theirs. What the arenas have handed out is shared.
func (s *WatchableStore) Clone() *WatchableStore {
	c := *s
	// To begin another run from the base is to write to it.
	c.base = base{}
	c.Store = s.Store.clone()
	c.watchers, c.responses, c.events = s.watchers.Clone(), s.responses.Clone(), s.events.Clone()
	c.evs, c.batches, c.chosen = nil, nil, nil
	c.streams = make([]*WatchStream, len(s.streams))
	for i, ws := range s.streams {
		c.streams[i] = ws.clone(&c)
	}
	victimsShape.Own(&c.victims)
	c.victims.store = &c
	c.victims.all(func(b *batch) {
		w := b.watcher
		b.watcher = c.streams[w.ws.slot].watchers[slices.Index(w.ws.watchers, w)]
	})
	return &c
}

func (ws *WatchStream) clone(s *WatchableStore) *WatchStream {
	c := *ws
	c.store, c.owner = s, nil
	c.Chan = ws.Chan.Clone()
	c.watchers = make([]*watcher, len(ws.watchers))
	block := make([]watcher, len(ws.watchers))
	for i, w := range ws.watchers {
		block[i] = *w
		block[i].ws = &c
		c.watchers[i] = &block[i]
	}
	return &c
}

// Adopt gives a stream of a cloned store, by its place, to its owner.
func (s *WatchableStore) Adopt(place int, owner Owner) *WatchStream {
	s.streams[place].owner = owner
	return s.streams[place]
}

// all visits the batches that wait, and those in the hands of the loop.
func (v *syncVictims) all(visit func(*batch)) {
	for _, list := range [...][][]batch{v.waiting, v.taken, {v.left}} {
		for _, batches := range list {
			for i := range batches {
				visit(&batches[i])
			}
		}
	}
}

// Fingerprint covers the store. Streams have fingerprints of their own.
func (s *WatchableStore) Fingerprint(d sim.Digest) sim.Digest {
	// The phase of the sync loop is 0 when untimed.
	d = s.Store.fingerprint(d).Int(int64(s.lastSync)).Int(s.kept).Bool(s.unpublished)
	d = victimsShape.Digest(d, &s.victims)
	s.victims.all(func(b *batch) { d = d.Int(int64(b.watcher.ws.slot)).Int(b.watcher.id) })
	return d
}

// Fingerprint covers the watchers of the stream and its channel.
func (ws *WatchStream) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(ws.nextID).Int(int64(len(ws.watchers)))
	for _, w := range ws.watchers {
		d = d.Text(w.key).Text(w.end).Int(w.id).Int(w.startRev).Int(w.minRev).
			Word(uint64(w.group)<<8 | uint64(w.fcs)).Bool(w.compacted).Bool(w.restore)
	}
	d = d.Int(int64(ws.Chan.Len()))
	for _, r := range ws.Chan.All() {
		d = r.Digest(d)
	}
	return d
}

// Digest covers what the response says, and not what was queued before it.
func (r *WatchResponse) Digest(d sim.Digest) sim.Digest {
	return wire.DigestEvents(d.Int(r.ID).Int(r.Revision).Int(r.CompactRevision).Bool(r.Created), r.Events)
}
