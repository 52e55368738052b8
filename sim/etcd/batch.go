package etcd

import "github.com/watchbed/watchbed/sim/wire"

// batch is a watcher with the events that are for it: an entry of
// watcherBatch, with its eventBatch.
type batch struct {
	watcher int32
	evs     []wire.Event
	// moreRev is the first revision that did not fit any more, 0 if all did.
	moreRev int64
	// sent: syncVictimsLoop has tried; failed: the channel was still full.
	sent, failed bool
}

// event is a change as watchers see it.
func (v *version) event() wire.Event {
	if v.tombstone {
		return wire.Event{Type: wire.Delete, Kv: &v.kv}
	}
	return wire.Event{Type: wire.Put, Kv: &v.kv}
}

// newBatch is newWatcherBatch for one watcher: the changes that it still wants,
// up to WatchBatchMaxRevs revisions of them (eventBatch.add). Changes are in the
// order of their revisions. Watchers that want all of them share one list: all,
// once it is there.
func (s *Server) newBatch(wi int32, changes []*version, all *[]wire.Event) (b batch, ok bool) {
	w := &s.watchers[wi]
	b.watcher = wi
	evs := s.events[:0]
	revs, last := 0, int64(0)
	for _, v := range changes {
		if v.kv.ModRevision < w.minRev || !w.contains(v.kv.Key) {
			continue
		}
		if v.kv.ModRevision > last {
			revs++
			last = v.kv.ModRevision
			if revs > s.cfg.WatchBatchMaxRevs {
				b.moreRev = last
				break
			}
		}
		evs = append(evs, v.event())
	}
	s.events = evs
	switch {
	case len(evs) == 0:
		return b, false
	case len(evs) == len(changes) && *all != nil:
		b.evs = *all
		return b, true
	}
	b.evs = s.eventArena.take(len(evs))
	copy(b.evs, evs)
	if len(evs) == len(changes) {
		*all = b.evs
	}
	return b, true
}
