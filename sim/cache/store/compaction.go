package store

import "github.com/watchbed/watchbed/sim"

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
	env.ReadsItem(CellSnapshots, 0, itemCompacted)
	if revision <= s.compacted {
		return false
	}
	env.WritesItem(CellSnapshots, 0, itemCompacted)
	s.compacted = revision
	if k.tree != nil && s.compactSnapshots(revision) > 0 {
		env.Cover(snapshotCompacted)
	} else {
		env.Cover(compactedWithoutLoss)
	}
	if s.cfg.WatchHistory == WatchHistoryUntilCompacted {
		env.Writes(CellHistory, 0)
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
	env.ReadsItem(CellSnapshots, 0, itemCompacted)
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
	env.ReadsItem(CellSnapshots, 0, itemCompacted)
	return s.compacted - 1
}
