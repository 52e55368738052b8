package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watch is watchableStore.watch: it registers a watcher and returns its place.
func (s *Server) watch(env *sim.Env, sws *serverWatchStream, req *wire.WatchCreateRequest, id, startRev int64) int32 {
	wi := s.newWatcher()
	for i := range int(wi) + 1 {
		// The first free place depends on all before it.
		env.Writes(cellWatcherPlace, i)
	}
	w := &s.watchers[wi]
	env.Writes(cellWatcher, int(wi))
	env.Writes(cellMinRev, int(wi))
	s.readsRevision(env)
	*w = watcher{
		key: req.Key, end: req.RangeEnd, id: id, startRev: startRev, minRev: startRev,
		stream: sws.slot, fcs: req.Filters, used: true,
	}
	if w.key == "" {
		// \0 is the smallest key.
		w.key = "\x00"
	}
	if startRev > s.store.currentRev || startRev == 0 {
		w.minRev = max(s.store.currentRev+1, startRev)
		s.setGroup(env, wi, synced)
	} else {
		s.setGroup(env, wi, unsynced)
	}
	if env.Noting() {
		env.Note(registered{sws.name(), w.startRev, w.key, w.group == unsynced})
	}
	return wi
}

func (s *Server) newWatcher() int32 {
	for i := range s.watchers {
		if !s.watchers[i].used {
			return int32(i)
		}
	}
	s.watchers = append(s.watchers, watcher{})
	return int32(len(s.watchers) - 1)
}

// setGroup moves a watcher. All that joins the unsynced ones is waited for by
// syncWatchersLoop.
func (s *Server) setGroup(env *sim.Env, wi int32, g group) {
	w := &s.watchers[wi]
	env.Writes(cellGroup, int(wi))
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

// cancelWatcher is watchableStore.cancelWatcher. It returns false if the
// watcher is a victim in flight: then it has to be tried again.
func (s *Server) cancelWatcher(env *sim.Env, wi int32) bool {
	env.Reads(cellGroup, int(wi))
	switch s.watchers[wi].group {
	case inFlight:
		env.Cover(coverCancelInFlight)
		return false
	case victim:
		env.Cover(coverCancelVictim)
		s.forgetVictim(env, wi)
	case unsynced:
		env.Cover(coverCancelUnsynced)
	}
	s.setGroup(env, wi, nowhere)
	return true
}

// freeWatcher gives the place of a cancelled watcher free.
func (s *Server) freeWatcher(env *sim.Env, wi int32) {
	env.Writes(cellWatcher, int(wi))
	env.Writes(cellMinRev, int(wi))
	env.Writes(cellWatcherPlace, int(wi))
	s.watchers[wi].used = false
}

// notify is watchableStore.notify: synced watchers are told of the changes that
// make up the next revision. A full channel makes the watcher a victim.
func (s *Server) notify(env *sim.Env, rev int64, changes []*version) {
	list := s.batches[:0]
	var all []wire.Event
	for _, sws := range s.streams {
		env.LooksAt(cellStreamWatchers, int(sws.slot))
		for _, wi := range sws.watchers {
			env.LooksAt(cellGroup, int(wi))
			if s.watchers[wi].group != synced {
				continue
			}
			env.LooksAt(cellMinRev, int(wi))
			if b, ok := s.newBatch(wi, changes, &all); ok {
				list = append(list, b)
			}
		}
	}
	s.batches = list
	if len(list) == 0 {
		return
	}
	s.order(env, list)
	var victims []batch
	for i := range list {
		b := &list[i]
		w := &s.watchers[b.watcher]
		env.Reads(cellGroup, int(b.watcher))
		ok := s.send(env, b.watcher, w.id, rev, b.evs)
		if !ok || s.cfg.NotifyMinRev == Always {
			w.minRev = rev + 1
			env.Writes(cellMinRev, int(b.watcher))
		}
		if ok {
			env.Cover(coverNotified)
			continue
		}
		env.Cover(coverNotifyVictim)
		if env.Noting() {
			env.Note(becameVictim{s.streams[w.stream].name(), revisionsOf(b.evs)})
		}
		if s.streams[w.stream].deferredProgress {
			env.Cover(coverVictimDeferred)
		}
		s.setGroup(env, b.watcher, victim)
		victims = append(victims, *b)
	}
	s.addVictim(env, victims)
}

// mayProgress is what watchableStore.progressIfSync asks of each watcher. The
// revision cannot move before the response is in the channel: write transactions
// end under the same lock.
func (s *Server) mayProgress(env *sim.Env, wi int32) bool {
	w := &s.watchers[wi]
	env.Reads(cellGroup, int(wi))
	if w.group != synced {
		env.Cover(coverProgressUnsynced)
		if w.group == victim || w.group == inFlight {
			env.Cover(coverProgressVictim)
		}
		if w.compacted {
			env.Cover(coverProgressCompacted)
		}
		return false
	}
	if s.cfg.Progress != DroppedBelowStart {
		return true
	}
	s.readsRevision(env)
	if s.store.currentRev < w.startRev {
		env.Cover(coverProgressBelowStart)
		return false
	}
	return true
}

// restoreSnapshot is watchableStore.Restore: the store is made anew from a
// snapshot, and every synced watcher counts as unsynced.
func (s *Server) restoreSnapshot(env *sim.Env) {
	env.Cover(coverRestore)
	s.restoreStore(env)
	// A watcher that is created takes a free place, and looks at the first one.
	env.LooksAt(cellWatcherPlace, 0)
	for i := range s.watchers {
		w := &s.watchers[i]
		env.LooksAt(cellGroup, i)
		if w.used && w.group == synced {
			w.restore = true
			s.setGroup(env, int32(i), unsynced)
		}
	}
}
