package mvcc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchableStore is mvcc.watchableStore: the store with its watchers.
type WatchableStore struct {
	Store
	base base

	// streams are all that watch, by their places. The places of streams that ended
	// are kept for others.
	streams []*WatchStream
	// unsynced is the number of unsynced watchers.
	unsynced int
	lastSync sim.Time
	// kept is the first revision of the history that the last turn of syncWatchers has
	// kept, 0 if it has kept none. It goes on to the newest revision of that turn, and
	// the next turn adds what came behind.
	kept int64
	// unpublished: the events of the current revision are in the watch channels, and the
	// revision is not visible yet to a step that takes no lock of the watchable store.
	unpublished bool
	victims     syncVictims
	// readsQueued is how many reads were queued so far.
	readsQueued uint64

	watchers  arena.Arena[watcher]
	responses arena.Arena[WatchResponse]
	events    arena.Arena[wire.Event]
	// Scratch space of single steps.
	evs     []wire.Event
	batches []batch
	chosen  []*watcher
}

// Reset makes the store a new one with these contents and keeps its memory. What was
// handed out before is overwritten, but for what a clone shares.
func (s *WatchableStore) Reset(o Options, c *Contents) {
	s.watchers.Rewind()
	s.responses.Rewind()
	s.events.Rewind()
	if !s.base.holds(c) {
		s.base.fill(c)
	}
	s.opts = o
	s.Store.reset(&s.base)
	s.forget()
}

// SetOptions changes how the store behaves: another release takes over.
func (s *WatchableStore) SetOptions(o Options) { s.opts = o }

// forget drops what a process keeps in memory.
func (s *WatchableStore) forget() {
	s.streams = s.streams[:0]
	s.unsynced, s.lastSync, s.kept, s.readsQueued = 0, 0, 0, 0
	s.unpublished = false
	s.victims = syncVictims{store: s, waiting: s.victims.waiting[:0], taken: s.victims.taken[:0], left: s.victims.left[:0]}
}

// Start begins the loops of a new process.
func (s *WatchableStore) Start(env *sim.Env) { s.startSyncWatchersLoop(env) }

// Restart makes the store anew from its backend, after the process has crashed.
func (s *WatchableStore) Restart(env *sim.Env) {
	s.forget()
	s.restore(env)
}

// Restore is watchableStore.Restore: the store is made anew from a snapshot, and
// every synced watcher counts as unsynced.
func (s *WatchableStore) Restore(env *sim.Env) {
	env.Cover(coverRestore)
	s.Publish(env)
	s.restore(env)
	for _, ws := range s.streams {
		env.LooksAt(cellStreamWatchers, ws.slot)
		for _, w := range ws.watchers {
			env.LooksAt(cellGroup, w.cell)
			if w.group == synced {
				w.restore = true
				lostSync.Say(env, ws.Name, w.minRev)
				s.setGroup(env, w, unsynced)
			}
		}
	}
}

// End is watchableStoreTxnWrite.End of a transaction that has changed something:
// watchers are notified and the revision becomes visible under one lock. A step that takes
// no lock may see the events first, with AfterEvents.
func (s *WatchableStore) End(env *sim.Env) {
	rev := s.currentRev + 1
	env.WritesItem(CellStore, 0, rev)
	env.WritesItem(CellRevision, 0, rev)
	told := s.notify(env, rev)
	s.end()
	s.unpublished = told && s.opts.VisibleLater
}

// notify is watchableStore.notify: synced watchers are sent the changes of the
// next revision. A full channel makes the watcher a victim. It reports whether anything was
// sent.
func (s *WatchableStore) notify(env *sim.Env, rev int64) (told bool) {
	list := s.newWatcherBatch(env)
	if len(list) == 0 {
		return false
	}
	order(env, list)
	var victims []batch
	for i := range list {
		b := &list[i]
		w := b.watcher
		env.Reads(cellGroup, w.cell)
		ok := w.send(env, rev, b.evs)
		if !ok || s.opts.RaisesMinRev {
			w.setMinRev(env, rev+1)
		}
		if ok {
			told = true
			env.Cover(coverNotified)
			continue
		}
		env.Cover(coverNotifyVictim)
		if w.ws.owner.ProgressDeferred(env) {
			env.Cover(coverVictimDeferred)
		}
		s.becomesVictim(env, b)
		victims = append(victims, *b)
	}
	s.victims.add(env, victims)
	return told
}

// newWatcherBatch is the function of that name: the synced watchers with the changes
// of the open transaction that are for them.
func (s *WatchableStore) newWatcherBatch(env *sim.Env) []batch {
	list := s.batches[:0]
	var all []wire.Event
	for _, ws := range s.streams {
		env.LooksAt(cellStreamWatchers, ws.slot)
		for _, w := range ws.watchers {
			env.LooksAt(cellGroup, w.cell)
			if w.group != synced {
				w.noteLeftOut(env)
				continue
			}
			env.LooksAt(cellMinRev, w.cell)
			if b, ok := s.newBatch(w, s.changes, &all); ok {
				list = append(list, b)
			}
		}
	}
	s.batches = list
	return list
}

// noteLeftOut: the watcher is not synced, and so is not sent the open transaction with the others.
func (w *watcher) noteLeftOut(env *sim.Env) {
	if s := w.ws.store; env.Noting() && w.group != nowhere && slices.ContainsFunc(s.changes, func(v *version) bool {
		return v.kv.ModRevision >= w.minRev && w.contains(v.kv.Key)
	}) {
		leftOut.Say(env, s.changes[0].kv.ModRevision, w.name(), w.group)
	}
}

// becomesVictim takes a watcher out of its group, because its channel is full.
func (s *WatchableStore) becomesVictim(env *sim.Env, b *batch) {
	becameVictim.Say(env, b.watcher.ws.Name, RevisionsOf(b.evs))
	s.setGroup(env, b.watcher, victim)
}

// setGroup moves a watcher. All that joins the unsynced ones is waited for by
// syncWatchersLoop.
func (s *WatchableStore) setGroup(env *sim.Env, w *watcher, g group) {
	env.Writes(cellGroup, w.cell)
	if w.group == unsynced {
		s.unsynced--
		if s.unsynced == 0 {
			env.Disarm(syncWatchersLoop)
		}
	}
	if g == unsynced {
		s.unsynced++
		s.planSync(env)
	}
	w.group = g
}

// ReadQueued: a read was queued before every response that is put into a watch
// channel from here on.
func (s *WatchableStore) ReadQueued(env *sim.Env) {
	env.WritesItem(CellReadsQueued, 0, sim.NoItem)
	s.readsQueued++
}

// ReadsQueued is how many reads were queued so far.
func (s *WatchableStore) ReadsQueued() uint64 { return s.readsQueued }

// filter takes out the events that a watcher asked not to see.
func (s *WatchableStore) filter(w *watcher, evs []wire.Event) []wire.Event {
	kept := s.evs[:0]
	for i := range evs {
		if !w.filtered(evs[i].Type) {
			kept = append(kept, evs[i])
		}
	}
	s.evs = kept
	if len(kept) == len(evs) {
		return evs
	}
	out := s.events.Take(len(kept))
	copy(out, kept)
	return out
}

// watchableStoreTxnWrite.End notifies the watchers and then lets the current revision be
// seen. It holds the lock of the watchable store over both, which a reader of the store
// and watchStream.Rev do not take. So a client may be sent an event by its stream, and
// read the state before it from the same server.
//
// With AfterEvents the second step is the apply loop's next one. A step that takes the
// lock has to wait for that, which is the same as to begin with it: Publish.

// Unpublished reports whether the last write still has to become visible.
func (s *WatchableStore) Unpublished() bool { return s.unpublished }

// Publish makes the last write visible.
func (s *WatchableStore) Publish(env *sim.Env) {
	if s.unpublished {
		env.WritesItem(CellRevision, 0, s.currentRev)
		s.unpublished = false
	}
}

// VisibleRev is the current revision for a step that takes no lock of the watchable store.
func (s *WatchableStore) VisibleRev(env *sim.Env) int64 {
	rev := s.Rev(env)
	if s.unpublished {
		env.Cover(coverBehindEvents)
		rev--
	}
	return rev
}

// RangeVisible is Range for a handler, which takes no lock of the watchable store.
func (s *WatchableStore) RangeVisible(env *sim.Env, r *wire.RangeRequest) (*wire.RangeResponse, wire.Code) {
	if !s.unpublished {
		return s.Range(env, r)
	}
	resp, code := s.rangeKeys(env, r, s.VisibleRev(env))
	s.readsRange(env, r, resp)
	return resp, code
}
