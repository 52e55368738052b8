package mvcc

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// syncPhases is how finely a timed run chooses where in its period
// syncWatchersLoop stands at the start.
const syncPhases = 100

// startSyncWatchersLoop settles the phase of the loop.
func (s *WatchableStore) startSyncWatchersLoop(env *sim.Env) {
	if env.Mode() == sim.Timed {
		s.lastSync = env.Now() - sim.Time(s.opts.SyncInterval)*sim.Time(env.Choose(syncPhases, "phase of syncWatchersLoop"))/syncPhases
	}
}

// planSync arms the timer for the loop's next turn if it is not armed. Turns
// that find nothing unsynced are left out; the phase goes on as if they took
// place.
func (s *WatchableStore) planSync(env *sim.Env) {
	if env.Armed(syncWatchersLoop) {
		return
	}
	wait := s.opts.SyncInterval
	if env.Mode() == sim.Timed {
		wait -= env.Now().Sub(s.lastSync) % s.opts.SyncInterval
	}
	env.Arm(syncWatchersLoop, wait)
}

// runSyncWatchersLoop is one turn of syncWatchersLoop.
func (s *WatchableStore) runSyncWatchersLoop(env *sim.Env) {
	s.syncLoop.Change(env).lastSync = env.Now()
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
		env.Arm(syncWatchersLoop, s.opts.SyncInterval)
	}
}

// syncWatchers is watchableStore.syncWatchers. It holds the watchable store's
// lock from end to end, so it is one step.
func (s *WatchableStore) syncWatchers(env *sim.Env) {
	s.Publish(env)
	curRev := s.Rev(env)
	env.LooksAt(CellCompactRev, 0)
	env.LooksAt(CellStore, 0)
	chosen, minRev := s.chooseAll(env, s.choose(env))
	list := s.unsyncedBatch(env, chosen, s.turnHistory(env, minRev, curRev+1))

	order(env, list)
	var victims []*watcher
	for i := range list {
		b := &list[i]
		w := b.watcher
		if b.moreRev != 0 {
			w.minRev.Set(env, b.moreRev)
		}
		switch {
		case !w.send(env, curRev, b.evs):
			env.Cover(coverSyncVictim)
			s.becomesVictim(env, b)
			victims = append(victims, w)
		case b.moreRev != 0:
			env.Cover(coverSyncMore)
		default:
			env.Cover(coverSynced)
			s.becomesSynced(env, w, false)
		}
	}
	s.victims.add(env, victims)
}

// turnHistory are the changes of [minRev, maxRev) that a turn looks for its watchers'
// among.
func (s *WatchableStore) turnHistory(env *sim.Env, minRev, maxRev int64) []*version {
	from := minRev
	if minRev < 0 {
		if kept := *s.kept.Look(env); kept > 0 {
			env.Cover(coverNegativeFromKept)
			from = kept
			negativeRangeKept.Say(env, minRev, kept)
		} else {
			negativeRange.Say(env, minRev)
		}
	}
	changes := s.rangeEvents(from, maxRev)
	if s.opts.KeepsHistory {
		s.kept.Set(env, 0)
		if len(changes) > 0 {
			s.kept.Set(env, changes[0].kv.ModRevision)
		}
	}
	return changes
}

// unsyncedBatch is newWatcherBatch for the unsynced watchers: each with the changes
// that it still wants. Those without any are synced.
func (s *WatchableStore) unsyncedBatch(env *sim.Env, chosen []*watcher, changes []*version) []batch {
	list := s.batches[:0]
	next := s.currentRev + 1
	var all []wire.Event
	for _, w := range chosen {
		w.readsHistory(env)
		b, ok := s.newBatch(w, changes, &all)
		minRev := *w.minRev.Value()
		if minRev < s.compactMainRev {
			// Its channel is full, or it would not be here any more.
			if s.opts.SkipsCompacted {
				env.Cover(coverCompactedSkipped)
				continue
			}
			w.fallsThrough(env, next)
		}
		if !s.opts.NeverLowersMinRev || minRev < next {
			if minRev > next {
				env.Cover(coverFutureLowered)
				startLowered.Say(env, w.ws.Name, minRev, next)
			}
			w.minRev.Set(env, next)
		}
		if !ok {
			env.Cover(coverSyncedSilently)
			if w.ws.owner.ProgressDeferred(env) {
				env.Cover(coverSyncedSilentlyDeferred)
			}
			s.becomesSynced(env, w, true)
			continue
		}
		list = append(list, b)
	}
	s.batches = list
	return list
}

// fallsThrough: the watcher goes on as if its history was there (#17529).
func (w *watcher) fallsThrough(env *sim.Env, next int64) {
	env.Cover(coverCompactedFallsThrough)
	env.Reads(CellCompactRev, 0)
	fellThrough.Say(env, w.ws.Name, *w.minRev.Value(), next)
}

// becomesSynced ends the work on an unsynced watcher; silent: it was sent nothing.
func (s *WatchableStore) becomesSynced(env *sim.Env, w *watcher, silent bool) {
	switch watch := w.name(); {
	case !env.Noting():
	case !silent:
		becameSynced.Say(env, watch)
	case w.ws.owner.ProgressDeferred(env):
		becameSyncedDeferred.Say(env, watch)
	default:
		becameSyncedSilently.Say(env, watch)
	}
	s.setGroup(env, w, synced)
}

// readsHistory declares that what a watcher is sent depends on the changes that it
// still wants and that are there, and on a change at the compacted revision that is
// gone.
func (w *watcher) readsHistory(env *sim.Env) {
	if !env.Recording() {
		return
	}
	s := w.ws.store
	minRev, kept := *w.minRev.Value(), *s.kept.Value()
	from := minRev
	if from < 0 && kept > 0 {
		from = kept
	}
	for _, v := range s.rangeEvents(from, s.currentRev+1) {
		if w.contains(v.kv.Key) {
			env.ReadsItem(CellStore, 0, v.kv.ModRevision)
		}
	}
	if c := s.compactMainRev; minRev <= c && len(s.rangeEvents(c, c+1)) == 0 {
		env.ReadsItem(CellStore, 0, c)
	}
}

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
