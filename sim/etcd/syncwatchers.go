package etcd

import (
	"math"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// syncPhases is how finely a timed run chooses where in its period
// syncWatchersLoop stands at the start.
const syncPhases = 100

// startSyncWatchersLoop settles the phase of the loop.
func (s *Server) startSyncWatchersLoop(env *sim.Env) {
	if env.Mode() == sim.Timed {
		s.lastSync = env.Now() - sim.Time(s.cfg.SyncInterval)*sim.Time(env.Choose(syncPhases, "phase of syncWatchersLoop"))/syncPhases
	}
}

// planSync arms the timer for the loop's next turn if it is not armed. Turns
// that find nothing unsynced are left out; the phase goes on as if they took
// place.
func (s *Server) planSync(env *sim.Env) {
	if env.Armed(syncWatchersLoop) {
		return
	}
	wait := s.cfg.SyncInterval
	if env.Mode() == sim.Timed {
		wait -= env.Now().Sub(s.lastSync) % s.cfg.SyncInterval
	}
	env.Arm(syncWatchersLoop, wait)
}

// runSyncWatchersLoop is one turn of syncWatchersLoop.
func (s *Server) runSyncWatchersLoop(env *sim.Env) {
	s.lastSync = env.Now()
	env.Writes(cellSyncWatchersLoop, 0)
	last := s.unsynced
	if last == 0 {
		return
	}
	s.syncWatchers(env)
	switch {
	case s.unsynced == 0:
	case s.unsynced < last:
		// More work pending: the loop waits only as long as this turn took,
		// which is nothing on the virtual clock.
		env.Cover(coverSyncAgain)
		env.Arm(syncWatchersLoop, 0)
	default:
		env.Arm(syncWatchersLoop, s.cfg.SyncInterval)
	}
}

// syncWatchers is watchableStore.syncWatchers. It holds the watchable store's
// lock from end to end, so it is one step.
func (s *Server) syncWatchers(env *sim.Env) {
	curRev, compactRev := s.store.currentRev, s.store.compactMainRev
	s.readsRevision(env)
	env.LooksAt(cellCompactRev, 0)
	env.LooksAt(cellStore, 0)
	chosen := s.choose(env)
	chosen, minRev := s.chooseAll(env, chosen, curRev, compactRev)
	changes := s.store.rangeEvents(minRev, curRev+1)

	list := s.batches[:0]
	var all []wire.Event
	for _, wi := range chosen {
		w := &s.watchers[wi]
		s.readsHistory(env, w, curRev)
		b, ok := s.newBatch(wi, changes, &all)
		if w.minRev < compactRev {
			env.Reads(cellCompactRev, 0)
			if s.cfg.CompactedUnsynced == Skipped {
				env.Cover(coverCompactedSkipped)
				continue
			}
			env.Cover(coverCompactedFallsThrough)
			if env.Noting() {
				env.Note(fellThrough{s.streams[w.stream].name(), w.minRev, curRev + 1})
			}
		}
		if s.cfg.SyncMinRev == SetToNext || w.minRev < curRev+1 {
			if w.minRev > curRev+1 {
				env.Cover(coverFutureLowered)
			}
			w.minRev = curRev + 1
			env.Writes(cellMinRev, int(wi))
		}
		if !ok {
			env.Cover(coverSyncedSilently)
			if s.streams[w.stream].deferredProgress {
				env.Cover(coverSyncedSilentlyDeferred)
			}
			s.noteSynced(env, w, nil)
			s.setGroup(env, wi, synced)
			continue
		}
		list = append(list, b)
	}
	s.batches = list
	s.order(env, list)
	var victims []batch
	for i := range list {
		b := &list[i]
		w := &s.watchers[b.watcher]
		if b.moreRev != 0 {
			w.minRev = b.moreRev
			env.Writes(cellMinRev, int(b.watcher))
		}
		switch {
		case !s.send(env, b.watcher, w.id, curRev, b.evs):
			env.Cover(coverSyncVictim)
			if env.Noting() {
				env.Note(becameVictim{s.streams[w.stream].name(), revisionsOf(b.evs)})
			}
			s.setGroup(env, b.watcher, victim)
			victims = append(victims, *b)
		case b.moreRev != 0:
			env.Cover(coverSyncMore)
		default:
			env.Cover(coverSynced)
			s.noteSynced(env, w, b.evs)
			s.setGroup(env, b.watcher, synced)
		}
	}
	s.addVictim(env, victims)
}

// choose is watcherGroup.choose: all unsynced watchers, or a random subset if
// there are too many.
func (s *Server) choose(env *sim.Env) []int32 {
	chosen := s.chosen[:0]
	for _, sws := range s.streams {
		env.LooksAt(cellStreamWatchers, int(sws.slot))
		for _, wi := range sws.watchers {
			env.LooksAt(cellGroup, int(wi))
			if s.watchers[wi].group == unsynced {
				chosen = append(chosen, wi)
			}
		}
	}
	s.chosen = chosen
	for n := len(chosen); n > s.cfg.MaxWatchersPerSync; n-- {
		// Leaving one out at a time keeps the list in its order.
		i := env.Choose(n, "unsynced watcher to leave out")
		chosen = append(chosen[:i], chosen[i+1:]...)
	}
	return chosen
}

// chooseAll is watcherGroup.chooseAll: watchers whose history is compacted are
// told so and leave the group, unless their channel is full. It returns those
// that stay, and the smallest revision that they want.
func (s *Server) chooseAll(env *sim.Env, chosen []int32, curRev, compactRev int64) ([]int32, int64) {
	// A subset is a group of its own: to remove a watcher from it does not
	// remove it from the unsynced ones.
	subset := s.unsynced >= s.cfg.MaxWatchersPerSync
	minRev := int64(math.MaxInt64)
	compacted := s.batches[:0]
	for _, wi := range chosen {
		w := &s.watchers[wi]
		env.Reads(cellGroup, int(wi))
		env.Reads(cellMinRev, int(wi))
		if w.minRev > curRev {
			if !w.restore {
				panic("etcd: an unsynced watcher wants a revision that does not exist")
			}
			w.restore = false
			env.Writes(cellWatcher, int(wi))
		}
		if w.minRev < compactRev {
			compacted = append(compacted, batch{watcher: wi})
		} else {
			minRev = min(minRev, w.minRev)
		}
	}
	s.batches = compacted
	if len(compacted) == 0 {
		return chosen, minRev
	}
	s.order(env, compacted)
	for i := range compacted {
		wi := compacted[i].watcher
		w := &s.watchers[wi]
		sws := s.streams[w.stream]
		if sws.ch.Len() >= s.cfg.ChanBufLen {
			env.Cover(coverCompactedFull)
			env.Reads(cellChan, int(sws.slot))
			continue
		}
		env.Cover(coverCompacted)
		if env.Noting() {
			env.Note(cancelledCompacted{sws.name()})
		}
		env.Reads(cellCompactRev, 0)
		s.post(env, sws, watchResponse{id: w.id, compactRevision: compactRev})
		w.compacted = true
		env.Writes(cellWatcher, int(wi))
		chosen = remove(chosen, wi)
		if subset {
			env.Cover(coverCompactedSubset)
		} else {
			s.setGroup(env, wi, nowhere)
		}
	}
	return chosen, minRev
}

func remove(list []int32, x int32) []int32 {
	for i := range list {
		if list[i] == x {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// readsHistory: what a watcher is sent depends on the changes that it still wants
// and that are there, and on a change at the compacted revision that is gone.
func (s *Server) readsHistory(env *sim.Env, w *watcher, curRev int64) {
	if !env.Recording() {
		return
	}
	for _, v := range s.store.rangeEvents(w.minRev, curRev+1) {
		if w.contains(v.kv.Key) {
			env.ReadsItem(cellStore, 0, v.kv.ModRevision)
		}
	}
	if c := s.store.compactMainRev; w.minRev <= c && len(s.store.rangeEvents(c, c+1)) == 0 {
		env.ReadsItem(cellStore, 0, c)
	}
}

// noteSynced: syncWatchers is done with a watcher; evs are what it was sent.
func (s *Server) noteSynced(env *sim.Env, w *watcher, evs []wire.Event) {
	if env.Noting() {
		sws := s.streams[w.stream]
		env.Note(becameSynced{sws.name(), len(evs) == 0, sws.deferredProgress})
	}
}
