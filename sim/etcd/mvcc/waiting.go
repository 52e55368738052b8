package mvcc

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Waiting is how many watchers are not synced: they have something to be sent, or are in
// the hands of a loop.
func (s *WatchableStore) Waiting() int {
	n := 0
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Value().list {
			if *w.group.Value() != synced && !w.compacted {
				n++
			}
		}
	}
	return n
}

// WaitingFrom is the first revision of the events that wait for a full channel to have
// room again, 0 if none do.
func (s *WatchableStore) WaitingFrom() int64 {
	first := int64(0)
	for _, waiting := range s.victims.waiting {
		for _, w := range waiting {
			if rev := RevisionsOf(w.batch.Value().evs).First; first == 0 || rev < first {
				first = rev
			}
		}
	}
	return first
}

// Has reports whether the stream has a watcher with an id.
func (ws *WatchStream) Has(id int64) bool { return ws.find(id) != nil }

// Watches visits the watchers of the stream, except watchers that were cancelled for a compacted history: key and
// end as the client named them, but for an empty key, and the revision from which on each was to be served.
func (ws *WatchStream) Watches(visit func(id int64, key, end string, startRev int64, filters wire.FilterType)) {
	for _, w := range ws.watchers.Value().list {
		if !w.compacted {
			visit(w.id, w.key, w.end, w.startRev, w.fcs)
		}
	}
}

// Show shows the watchers that are not synced, by their groups, and the watch
// channels.
func (s *WatchableStore) Show(visit sim.PartVisitor) {
	visit("unsynced", s.watchersIn(unsynced)...)
	visit("victims", append(s.watchersIn(victim), s.watchersIn(inFlight)...)...)
	var channels []sim.Entry
	for _, ws := range s.streams.All() {
		for _, r := range ws.Chan.All() {
			channels = append(channels, ws.entry(r))
		}
	}
	visit("watch channel", channels...)
}

// watchersIn are the watchers of a group. Each waits for what has happened from its
// minRev on.
func (s *WatchableStore) watchersIn(g group) []sim.Entry {
	var list []sim.Entry
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Value().list {
			if *w.group.Value() == g {
				text := ws.Label() + "watch " + strconv.FormatInt(w.id, 10) + " from " + strconv.FormatInt(*w.minRev.Value(), 10)
				list = append(list, sim.Entry{Text: text, First: *w.minRev.Value(), Last: s.currentRev})
			}
		}
	}
	return list
}

// Label is what an entry of the state begins with, so that it is known of which
// stream it is; it is empty for the only stream.
func (ws *WatchStream) Label() string {
	if len(ws.store.streams.All()) < 2 {
		return ""
	}
	return ws.Name.String() + ": "
}

func (ws *WatchStream) entry(r *WatchResponse) sim.Entry {
	e := sim.Entry{Text: ws.Label()}
	switch {
	case r.Created:
		e.Text += "created " + strconv.FormatInt(r.ID, 10)
	case r.CompactRevision != 0:
		e.Text += "compacted at " + strconv.FormatInt(r.CompactRevision, 10)
	case len(r.Events) == 0:
		e.Text += "progress " + strconv.FormatInt(r.Revision, 10)
		e.UpTo = r.Revision
	default:
		e.First, e.Last = r.Events[0].Kv.ModRevision, r.Events[len(r.Events)-1].Kv.ModRevision
		e.Text += "event " + strconv.FormatInt(e.First, 10)
		if e.Last != e.First {
			e.Text = ws.Label() + "events " + strconv.FormatInt(e.First, 10) + " to " + strconv.FormatInt(e.Last, 10)
		}
	}
	return e
}
