package mvcc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

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
	c.victims = s.victims.clone(&c)
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

func (v *syncVictims) clone(s *WatchableStore) syncVictims {
	c := *v
	c.store = s
	c.waiting, c.taken = s.cloneBatches(v.waiting), s.cloneBatches(v.taken)
	c.left = s.cloneBatch(v.left)
	return c
}

func (s *WatchableStore) cloneBatches(list [][]batch) [][]batch {
	if len(list) == 0 {
		return nil
	}
	out := make([][]batch, len(list))
	for i := range list {
		out[i] = s.cloneBatch(list[i])
	}
	return out
}

// cloneBatch points each watcher to the one that stands for it in the clone.
func (s *WatchableStore) cloneBatch(list []batch) []batch {
	out := slices.Clone(list)
	for i := range out {
		w := out[i].watcher
		out[i].watcher = s.streams[w.ws.slot].watchers[slices.Index(w.ws.watchers, w)]
	}
	return out
}

// Fingerprint covers the store. Streams have fingerprints of their own.
func (s *WatchableStore) Fingerprint(d sim.Digest) sim.Digest {
	// The phase of the sync loop is 0 when untimed.
	d = s.Store.fingerprint(d).Int(int64(s.lastSync))
	if s.kept != 0 {
		d = d.Text("kept").Int(s.kept)
	}
	if s.unpublished {
		d = d.Text("unpublished")
	}
	return s.victims.fingerprint(d)
}

func (v *syncVictims) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(v.state)).Bool(v.signal).Int(int64(v.moved))
	for _, list := range [2][][]batch{v.waiting, v.taken} {
		d = d.Int(int64(len(list)))
		for _, b := range list {
			d = batchDigest(d, b)
		}
	}
	return batchDigest(d, v.left)
}

func batchDigest(d sim.Digest, list []batch) sim.Digest {
	d = d.Int(int64(len(list)))
	for i := range list {
		b := &list[i]
		d = d.Int(int64(b.watcher.ws.slot)).Int(b.watcher.id).Int(b.moreRev).Bool(b.sent).Bool(b.failed)
		d = wire.DigestEvents(d, b.evs)
	}
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
