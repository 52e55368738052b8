package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// group is where the watchable store keeps a watcher.
type group uint8

const (
	// nowhere: cancelled, or removed by its compaction response.
	nowhere group = iota
	synced
	unsynced
	// victim: in a batch that waits for syncVictimsLoop.
	victim
	// inFlight: a victim that syncVictimsLoop has in its hands. The watcher is
	// in no group and in no batch.
	inFlight
)

// watcher is mvcc.watcher. Watchers live in one slice of the server and are
// known by their place there, so that a clone is a copy.
type watcher struct {
	key, end string
	id       int64
	// startRev is what the client asked for, minRev the first revision that the
	// watcher still wants.
	startRev, minRev int64
	// stream is the place of the stream whose channel the watcher sends to.
	stream int32
	group  group
	fcs    wire.FilterType
	// compacted: its compaction response was sent.
	compacted bool
	// restore: it was moved from synced to unsynced by a restore, possibly with
	// a revision that does not exist yet.
	restore bool
	used    bool
}

// contains reports whether the watcher watches a key.
func (w *watcher) contains(key string) bool {
	switch w.end {
	case "":
		return key == w.key
	case "\x00":
		return key >= w.key
	default:
		return key >= w.key && key < w.end
	}
}

// filtered reports whether the watcher asked not to see an event.
func (w *watcher) filtered(t wire.EventType) bool {
	if t == wire.Delete {
		return w.fcs&wire.NoDelete != 0
	}
	return w.fcs&wire.NoPut != 0
}

// send is watcher.send: it puts a response into the stream's channel unless
// that is full, and reports whether it could.
func (s *Server) send(env *sim.Env, wi int32, id, rev int64, evs []wire.Event) bool {
	w := &s.watchers[wi]
	if w.fcs != 0 && len(evs) > 0 {
		evs = s.filter(w, evs)
		if len(evs) == 0 {
			// If all events are filtered out nothing is sent, not even progress.
			env.Cover(coverFiltered)
			return true
		}
	}
	sws := s.streams[w.stream]
	if sws.ch.Len() >= s.cfg.ChanBufLen {
		env.Cover(coverChannelFull)
		env.Reads(cellChan, int(w.stream))
		return false
	}
	s.post(env, sws, watchResponse{id: id, revision: rev, evs: evs})
	return true
}

// post puts a response into the stream's channel, which has room.
func (s *Server) post(env *sim.Env, sws *serverWatchStream, resp watchResponse) {
	if s.cfg.ReadsDelayWatches {
		env.LooksAt(cellRangeQueue, 0)
	}
	resp.behind = s.readCost.queued
	env.WritesItem(cellChan, int(sws.slot), sws.ch.Next())
	sws.ch.Push(resp)
	if env.Noting() && resp.compactRevision == 0 && !resp.created {
		n := posted{stream: sws.name(), events: revisionsOf(resp.evs)}
		if len(resp.evs) == 0 {
			n.progress = resp.revision
		}
		env.Note(n)
	}
	if sws.send.state == selecting {
		env.Enable(sws.task(takeWatchStream))
	}
}

func (s *Server) filter(w *watcher, evs []wire.Event) []wire.Event {
	kept := s.events[:0]
	for i := range evs {
		if !w.filtered(evs[i].Type) {
			kept = append(kept, evs[i])
		}
	}
	s.events = kept
	if len(kept) == len(evs) {
		return evs
	}
	out := s.eventArena.take(len(kept))
	copy(out, kept)
	return out
}

// order settles the order of watchers that upstream takes from a Go map, where
// somebody could tell: among those of one stream, whose responses share a
// channel. list is by stream; those of different streams cannot be told apart
// within one step.
func (s *Server) order(env *sim.Env, list []batch) {
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && s.watchers[list[i+n].watcher].stream == s.watchers[list[i].watcher].stream {
			n++
		}
		for ; n > 1; n-- {
			j := i + env.Choose(n, "order of watchers")
			list[i], list[j] = list[j], list[i]
			i++
		}
		i++
	}
}
