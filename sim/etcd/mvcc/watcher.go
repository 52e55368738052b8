package mvcc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
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
