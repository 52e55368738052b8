package mvcc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// WatchableStore is mvcc.watchableStore: the store with its watchers.
type WatchableStore struct {
	Store
	base *base

	// streams are all that watch, by their places. The places of streams that ended
	// are kept for others.
	streams state.Places[WatchStream] `cell:"etcd: watch streams"`
	// unsynced is the number of unsynced watchers.
	unsynced int
	syncLoop
	// kept is the first revision of the history that the last turn of syncWatchers has
	// kept, 0 if it has kept none. It goes on to the newest revision of that turn, and
	// the next turn adds what came behind.
	kept state.Var[int64] `cell:"etcd: history kept between turns"`
	// unpublished: the events of the current revision are in the watch channels, and the
	// revision is not visible yet to a step that takes no lock of the watchable store.
	unpublished bool
	victims     syncVictims
	// readsQueued is how many reads were queued so far.
	readsQueued state.Var[uint64] `cell:"etcd: reads before responses" digest:"-"`

	watchers  arena.Arena[watcher]
	responses arena.Arena[WatchResponse]
	events    arena.Arena[wire.Event]
	// Scratch space of single steps.
	evs     []wire.Event
	batches []batch
	chosen  []*watcher
}

// syncLoop is syncWatchersLoop. lastSync is when it had its last turn.
type syncLoop struct {
	state.Cell[syncLoop] `cell:"etcd: syncWatchersLoop"`
	lastSync             sim.Time
}

// Reset makes the store a new one with these contents and keeps its memory. What was
// handed out before is overwritten, but for what a clone shares.
func (s *WatchableStore) Reset(o Options, c *Contents) {
	s.watchers.Rewind()
	s.responses.Rewind()
	s.events.Rewind()
	if !s.base.holds(c) {
		s.base = newBase(c)
	}
	s.opts = o
	s.Store.reset(s.base)
	layout.Name(s, 0)
	s.victims.store = s
	s.forget()
}

// SetOptions changes how the store behaves: another release takes over.
func (s *WatchableStore) SetOptions(o Options) { s.opts = o }

// forget drops what a process keeps in memory.
func (s *WatchableStore) forget() {
	s.streams.Reset()
	s.victims.Clear()
	s.lastSync, *s.kept.Value(), *s.readsQueued.Value() = 0, 0, 0
	s.unsynced, s.unpublished = 0, false
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
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Look(env).list {
			if *w.group.Look(env) == synced {
				w.restore = true
				lostSync.Say(env, ws.Name, *w.minRev.Value())
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
	var victims []*watcher
	for i := range list {
		b := &list[i]
		w := b.watcher
		w.group.Get(env)
		ok := w.send(env, rev, b.evs)
		if !ok || s.opts.RaisesMinRev {
			w.minRev.Set(env, rev+1)
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
		victims = append(victims, w)
	}
	s.victims.add(env, victims)
	return told
}

// newWatcherBatch is the function of that name: the synced watchers with the changes
// of the open transaction that are for them.
func (s *WatchableStore) newWatcherBatch(env *sim.Env) []batch {
	list := s.batches[:0]
	var all []wire.Event
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Look(env).list {
			if *w.group.Look(env) != synced {
				w.noteLeftOut(env)
				continue
			}
			w.minRev.Look(env)
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
	if s := w.ws.store; env.Noting() && *w.group.Value() != nowhere && slices.ContainsFunc(s.changes, func(v *version) bool {
		return v.kv.ModRevision >= *w.minRev.Value() && w.contains(v.kv.Key)
	}) {
		leftOut.Say(env, s.changes[0].kv.ModRevision, w.name(), *w.group.Value())
	}
}

// becomesVictim takes a watcher out of its group, because its channel is full.
func (s *WatchableStore) becomesVictim(env *sim.Env, b *batch) {
	becameVictim.Say(env, b.watcher.ws.Name, RevisionsOf(b.evs))
	b.watcher.batch.Set(env, b.eventBatch)
	s.setGroup(env, b.watcher, victim)
}

// setGroup moves a watcher. All that joins the unsynced ones is waited for by
// syncWatchersLoop.
func (s *WatchableStore) setGroup(env *sim.Env, w *watcher, g group) {
	if *w.group.Value() == unsynced {
		s.unsynced--
		if s.unsynced == 0 {
			env.Disarm(syncWatchersLoop)
		}
	}
	if g == unsynced {
		s.unsynced++
		s.planSync(env)
	}
	w.group.Set(env, g)
}

// ReadQueued: a read was queued before every response that is put into a watch
// channel from here on.
func (s *WatchableStore) ReadQueued(env *sim.Env) { *s.readsQueued.ChangeItem(env, sim.NoItem)++ }

// ReadsQueued is how many reads were queued so far.
func (s *WatchableStore) ReadsQueued(env *sim.Env) uint64 { return *s.readsQueued.Look(env) }

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

// The loops of the store. The server's other tasks are numbered from Tasks on.
const (
	syncVictimsLoop sim.Task = iota
	scheduleCompaction
	Tasks
)

// The timers of the store. The server's other timers are numbered from Timers on.
const (
	syncWatchersLoop sim.Timer = iota
	syncVictimsTick
	compactionSleep
	Timers
)

// Run takes a step of one of the loops.
func (s *WatchableStore) Run(env *sim.Env, t sim.Task) {
	switch t {
	case syncVictimsLoop:
		s.victims.run(env)
	case scheduleCompaction:
		s.scheduleCompaction(env)
	}
}

// Fire takes a step for one of the timers.
func (s *WatchableStore) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case syncWatchersLoop:
		s.runSyncWatchersLoop(env)
	case syncVictimsTick:
		s.victims.state = victimsTake
		s.victims.run(env)
	case compactionSleep:
		s.scheduleCompaction(env)
	}
}

// TaskName names a loop for people.
func (s *WatchableStore) TaskName(t sim.Task) string {
	if t == scheduleCompaction {
		return "scheduleCompaction"
	}
	return "syncVictimsLoop " + [...]string{"sleeps", "takes victims", "sends", "assigns"}[s.victims.state]
}

// TimerName names a timer for people.
func (s *WatchableStore) TimerName(t sim.Timer) string {
	return [...]string{syncWatchersLoop: "syncWatchersLoop", syncVictimsTick: "syncVictimsLoop", compactionSleep: "scheduleCompaction"}[t]
}
