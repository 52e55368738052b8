package store

import (
	"slices"
	"sort"

	"github.com/watchbed/watchbed/sim"
)

// History is upstream's watchCacheHistory: the recent events, from which watches
// start. Its entries are numbered from startIndex to endIndex; the numbers never
// go down, not even by a reset, so that an interval that was taken before notices
// that its events are gone.
type History struct {
	startIndex, endIndex int
	capacity             int
	// removedSinceRelist: some event since the last Replace was evicted, and the history
	// begins with the oldest event that was not; it is not empty.
	removedSinceRelist bool

	// log[head:] are the entries. Evicting moves head, so that a clone shares
	// the array until one of the two has to move entries.
	log    []Event
	head   int
	shared bool
}

func (h *History) init(capacity int) {
	*h = History{capacity: capacity, log: h.empty()}
}

func (h *History) empty() []Event {
	if h.shared {
		return nil
	}
	clear(h.log)
	return h.log[:0]
}

// reset empties the history as Replace does.
func (h *History) reset() {
	h.log, h.head, h.shared = h.empty(), 0, false
	h.startIndex = h.endIndex
	h.removedSinceRelist = false
}

func (h *History) len() int     { return h.endIndex - h.startIndex }
func (h *History) isFull() bool { return h.len() >= h.capacity }

// at returns the entry of a number that is still there.
func (h *History) at(index int) *Event { return &h.log[h.head+index-h.startIndex] }

// updateCache appends an event and evicts the oldest if it must.
func (h *History) updateCache(e Event) {
	if h.isFull() {
		h.evict(1)
		h.removedSinceRelist = true
	}
	if len(h.log) == cap(h.log) && h.head > 0 && h.head >= len(h.log)/2 {
		h.move()
	}
	h.log = append(h.log, e)
	h.endIndex++
}

func (h *History) evict(n int) {
	h.startIndex += n
	h.head += n
}

func (h *History) move() {
	if h.shared {
		h.log, h.shared = slices.Clone(h.log[h.head:]), false
	} else {
		n := copy(h.log, h.log[h.head:])
		clear(h.log[n:])
		h.log = h.log[:n]
	}
	h.head = 0
}

// resize doubles the capacity if the history is full of events that are all
// younger than fresh, and halves it if the newest quarter is older.
func (h *History) resize(now sim.Time, fresh sim.Duration, lower, upper int) {
	if !h.isFull() {
		return
	}
	switch {
	case now.Sub(h.at(h.startIndex).RecordTime) < fresh:
		h.capacity = min(2*h.capacity, max(upper, h.capacity))
	case now.Sub(h.at(h.endIndex-max(h.capacity/4, 1)).RecordTime) > fresh:
		if c := max(h.capacity/2, lower); c < h.capacity {
			h.capacity = c
			// Upstream does not count these as removed since the relist: the
			// event that is on its way in is about to evict one more anyway.
			h.evict(h.len() - c)
		}
	}
}

// dropLess drops the events below a revision that etcd has compacted. Events that were
// evicted before make no difference any more unless they were newer.
func (h *History) dropLess(revision int64) (dropped int) {
	dropped = h.after(revision-1) - h.startIndex
	if h.removedSinceRelist && dropped == 0 {
		return 0
	}
	h.evict(dropped)
	h.removedSinceRelist = false
	return dropped
}

// oldest is the resourceVersion of the oldest event that a watch can be sent.
func (h *History) oldest(listResourceVersion int64) int64 {
	if !h.removedSinceRelist {
		return listResourceVersion + 1
	}
	return h.at(h.startIndex).ResourceVersion
}

// after is the number of the first event after a resourceVersion.
func (h *History) after(resourceVersion int64) int {
	tail := h.log[h.head:]
	return h.startIndex + sort.Search(len(tail), func(i int) bool {
		return tail[i].ResourceVersion > resourceVersion
	})
}

func (h *History) clone() History {
	h.shared = true
	c := *h
	c.log = h.log[:len(h.log):len(h.log)]
	return c
}

func (h *History) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(h.capacity)).Bool(h.removedSinceRelist).Int(int64(h.len()))
	for i := range h.log[h.head:] {
		d = h.log[h.head+i].Digest(d)
	}
	return d
}

// HearsOfCompactions reports whether something is dropped when etcd is compacted:
// snapshots, switched off or not, or events.
func (s *Store) HearsOfCompactions() bool {
	return s.KeepsSnapshots() || s.cfg.WatchHistory == WatchHistoryUntilCompacted
}

// Compact drops what etcd has compacted: snapshots, and events if the option
// watch-history says so. It returns false if the store has heard of that compaction, or
// of a later one, before.
func (s *Store) Compact(env *sim.Env, revision int64) bool {
	k := &s.snapshots
	env.ReadItem(CellSnapshots, 0, itemCompacted)
	if revision <= s.compacted {
		return false
	}
	env.WriteItem(CellSnapshots, 0, itemCompacted)
	s.compacted = revision
	if k.tree != nil && s.compactSnapshots(revision) > 0 {
		env.Cover(snapshotCompacted)
	} else {
		env.Cover(compactedWithoutLoss)
	}
	if s.cfg.WatchHistory == WatchHistoryUntilCompacted {
		env.Write(CellHistory, 0)
		if s.history.dropLess(revision) > 0 {
			env.Cover(historyCompacted)
		}
	}
	s.recordHistory(env)
	return true
}

// recordHistory records what the history holds. It declares no reads: nothing depends on it.
func (s *Store) recordHistory(env *sim.Env) {
	bytes := 0
	for _, e := range s.history.log[s.history.head:] {
		bytes += e.Bytes()
	}
	env.Record(historyEvents, int64(s.history.len()))
	env.Record(historyBytes, int64(bytes))
}

// CompactRevision is the compaction that the cache last heard of, 0 if it has
// heard of none.
func (s *Store) CompactRevision() int64 { return s.compacted }

// dropLate drops the event that has just come in if it is from before a compaction that
// the store has heard of: no watch may begin before it any more. Watches that are open
// get it from the dispatcher.
func (s *Store) dropLate(env *sim.Env, resourceVersion int64) {
	env.ReadItem(CellSnapshots, 0, itemCompacted)
	if resourceVersion < s.compacted {
		s.history.dropLess(s.compacted)
		env.Cover(historyLate)
	}
}

// watchedFrom is the oldest resourceVersion from which etcd would serve a watch, as far
// as the store has heard: a watch from one on asks for the event of the next revision,
// and etcd has that of the compacted revision itself. It is 0 if the history is kept
// whatever etcd compacts.
func (s *Store) watchedFrom(env *sim.Env) int64 {
	if s.cfg.WatchHistory == WatchHistoryUntilFull {
		return 0
	}
	env.ReadItem(CellSnapshots, 0, itemCompacted)
	return s.compacted - 1
}
