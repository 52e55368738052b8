package mvcc

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// batch is a watcher with the events that are for it: an entry of watcherBatch.
type batch struct {
	watcher *watcher
	eventBatch
}

// eventBatch is the type of that name.
type eventBatch struct {
	evs []wire.Event
	// moreRev is the first revision that did not fit any more, 0 if all did.
	moreRev int64
	// sent: syncVictimsLoop has tried; failed: the channel was still full.
	sent, failed bool
}

// newBatch is newWatcherBatch for one watcher: the changes that it still wants,
// up to WatchBatchMaxRevs revisions of them (eventBatch.add). Changes are in the
// order of their revisions. Watchers that want all of them share one list: all,
// once it is there.
func (s *WatchableStore) newBatch(w *watcher, changes []*version, all *[]wire.Event) (b batch, ok bool) {
	b.watcher = w
	evs := s.evs[:0]
	revs, last := 0, int64(0)
	for i, v := range changes {
		if v.kv.ModRevision < *w.minRev.Value() || !w.contains(v.kv.Key) {
			continue
		}
		if s.opts.EventsByFirstKey && !w.contains(firstKey(changes, i)) {
			continue
		}
		if v.kv.ModRevision > last {
			revs++
			last = v.kv.ModRevision
			if revs > s.opts.WatchBatchMaxRevs {
				b.moreRev = last
				break
			}
		}
		evs = append(evs, v.event())
	}
	s.evs = evs
	switch {
	case len(evs) == 0:
		return b, false
	case len(evs) == len(changes) && *all != nil:
		b.evs = *all
		return b, true
	}
	b.evs = s.events.Take(len(evs))
	copy(b.evs, evs)
	if len(evs) == len(changes) {
		*all = b.evs
	}
	return b, true
}

// firstKey is the first one, in key order, that was changed in the revision of the i-th
// change.
func firstKey(changes []*version, i int) string {
	first := changes[i].kv.Key
	for _, v := range changes {
		if v.kv.ModRevision == changes[i].kv.ModRevision {
			first = min(first, v.kv.Key)
		}
	}
	return first
}

// order settles the order of watchers that upstream takes from a Go map, where a
// client could see the order: among those of one stream, whose responses share a
// channel. list is by stream; no client sees the order of different streams
// within one step.
func order(env *sim.Env, list []batch) {
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n].watcher.ws == list[i].watcher.ws {
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

// choose is watcherGroup.choose: all unsynced watchers, or a random subset if
// there are too many.
func (s *WatchableStore) choose(env *sim.Env) []*watcher {
	chosen := s.chosen[:0]
	for _, ws := range s.streams.All() {
		for _, w := range ws.watchers.Look(env).list {
			if *w.group.Look(env) == unsynced {
				chosen = append(chosen, w)
			}
		}
	}
	s.chosen = chosen
	for n := len(chosen); n > s.opts.MaxWatchersPerSync; n-- {
		// Leaving one out at a time keeps the list in its order.
		i := env.Choose(n, "unsynced watcher to leave out")
		chosen = append(chosen[:i], chosen[i+1:]...)
	}
	return chosen
}

// chooseAll is watcherGroup.chooseAll: watchers whose history is compacted are
// sent the cancellation and leave the group, unless their channel is full. It
// returns the remaining watchers, and the smallest revision that they want.
func (s *WatchableStore) chooseAll(env *sim.Env, chosen []*watcher) ([]*watcher, int64) {
	// A subset is a group of its own: to remove a watcher from it does not
	// remove it from the unsynced ones.
	subset := s.unsynced >= s.opts.MaxWatchersPerSync && !s.opts.RemovesCompacted
	minRev := int64(math.MaxInt64)
	compacted := s.batches[:0]
	for _, w := range chosen {
		w.group.Get(env)
		from := w.minRev.Get(env)
		if from > s.currentRev {
			if !w.restore {
				panic("etcd: an unsynced watcher wants a revision that does not exist")
			}
			w.watch.Change(env).restore = false
		}
		if from < s.compactMainRev {
			compacted = append(compacted, batch{watcher: w})
		} else {
			minRev = min(minRev, from)
		}
	}
	s.batches = compacted
	if len(compacted) == 0 {
		return chosen, minRev
	}
	order(env, compacted)
	for i := range compacted {
		w := compacted[i].watcher
		if !w.sendCompacted(env, subset) {
			continue
		}
		chosen = slices.DeleteFunc(chosen, func(other *watcher) bool { return other == w })
		if subset {
			env.Cover(coverCompactedSubset)
		} else {
			s.setGroup(env, w, nowhere)
		}
	}
	return chosen, minRev
}

// sendCompacted sends a watcher the cancellation of compacted history, unless its channel
// is full.
func (w *watcher) sendCompacted(env *sim.Env, staysUnsynced bool) bool {
	if w.ws.Chan.Full(env) {
		env.Cover(coverCompactedFull)
		return false
	}
	env.Cover(coverCompacted)
	if staysUnsynced {
		cancelledInCopy.Say(env, w.ws.Name)
	} else {
		cancelledCompacted.Say(env, w.ws.Name)
	}
	env.Read(CellCompactRev, 0)
	w.ws.Post(env, &WatchResponse{ID: w.id, CompactRevision: w.ws.store.compactMainRev})
	w.watch.Change(env).compacted = true
	return true
}

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

// watcher is mvcc.watcher.
type watcher struct {
	// ws is the stream whose channel the watcher sends to.
	ws *WatchStream
	watch
	group state.Var[group] `cell:"etcd: synced, unsynced or victim"`
	// minRev is the first revision that the watcher still wants.
	minRev state.Var[int64] `cell:"etcd: minRev"`
	// batch is what a victim waits with.
	batch state.Var[eventBatch] `cell:"etcd: victim's batch"`
}

// watch is what a watcher was created with.
type watch struct {
	state.Cell[watch] `cell:"etcd: watcher"`

	key, end string
	id       int64
	startRev int64
	fcs      wire.FilterType
	// compacted: its compaction response was sent.
	compacted bool
	// restore: it was moved from synced to unsynced by a restore, possibly with
	// a revision that does not exist yet.
	restore bool
}

var watcherLayout = state.Of[watcher]()

// maxWatchers is how many watchers of one stream have cells of their own.
const maxWatchers = 1 << 16

// contains reports whether the watcher watches a key.
func (w *watcher) contains(key string) bool { return InRange(key, w.key, w.end) }

// InRange reports whether a range of keys holds a key, with the ends that etcd
// knows.
func InRange(key, from, end string) bool {
	switch end {
	case "":
		return key == from
	case "\x00":
		return key >= from
	default:
		return key >= from && key < end
	}
}

// name is what notes call the watcher.
func (w *watcher) name() streamWatch { return streamWatch{w.ws.Name, w.id} }

// filtered reports whether the watcher asked not to see an event.
func (w *watcher) filtered(t wire.EventType) bool {
	if t == wire.Delete {
		return w.fcs&wire.NoDelete != 0
	}
	return w.fcs&wire.NoPut != 0
}

// send is watcher.send: it puts a response into the stream's channel unless
// that is full, and reports whether it could.
func (w *watcher) send(env *sim.Env, rev int64, evs []wire.Event) bool {
	if w.fcs != 0 && len(evs) > 0 {
		evs = w.ws.store.filter(w, evs)
		if len(evs) == 0 {
			// If all events are filtered out nothing is sent, not even progress.
			env.Cover(coverFiltered)
			return true
		}
	}
	return w.ws.send(env, &WatchResponse{ID: w.id, Revision: rev, Events: evs})
}

// progressIfSync is what watchableStore.progressIfSync asks of each watcher. The
// revision cannot move before the response is in the channel: write transactions
// end under the same lock.
func (w *watcher) progressIfSync(env *sim.Env, rule ProgressRule) bool {
	if in := w.group.Get(env); in != synced {
		env.Cover(coverProgressUnsynced)
		if in == victim || in == inFlight {
			env.Cover(coverProgressVictim)
		}
		if w.compacted {
			env.Cover(coverProgressCompacted)
		}
		return false
	}
	if rule == IfStarted && w.ws.store.Rev(env) < w.startRev {
		env.Cover(coverProgressBelowStart)
		return false
	}
	return true
}

// ProgressRule is when a watcher may be sent progress.
type ProgressRule uint8

const (
	// IfSynced: when it is synced.
	IfSynced ProgressRule = iota
	// IfStarted: when it is synced and the revision that it starts from exists.
	IfStarted
)
