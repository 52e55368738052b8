package mvcc

import "github.com/watchbed/watchbed/sim"

// restore is store.restore: everything but the backend and the marks of
// compactions is made anew.
func (s *Store) restore(env *sim.Env) {
	before, keys := s.currentRev, s.kvindex.Len()
	env.Reads(CellStore, 0)
	for _, v := range s.lost {
		env.WritesItem(CellStore, 0, v.kv.ModRevision)
	}
	forgotten := s.restoreIndex()
	s.restoreRevision(env)
	s.jobs.Clear(env)
	env.Disable(scheduleCompaction)
	env.Disarm(compactionSleep)
	if rev := s.scheduledCompact; rev != 0 && rev > s.compactMainRev && s.compact(rev) == 0 {
		env.Cover(coverCompactionResumed)
		s.jobs.Add(env, compactionJob{rev: rev})
		env.Enable(scheduleCompaction)
	}

	if s.kvindex.Len() != keys {
		env.Writes(CellStore, 0)
	}
	env.LooksAt(CellRevision, 0)
	if s.currentRev != before {
		env.Writes(CellRevision, 0)
	}
	env.Writes(CellCompactRev, 0)
	if s.currentRev < before {
		env.Cover(coverRevisionBack)
		restoredEarlier.Say(env, s.currentRev, before)
	} else {
		restored.Say(env, s.currentRev)
	}
	if forgotten != nil {
		tombstoneForgotten.Say(env, forgotten.kv.ModRevision, forgotten.kv.Key)
	}
}

// RollBack leaves of the backend what a backup of an earlier revision has, for the next process (etcdutl snapshot
// restore). The store begins at a revision from there on, and all that is older may be compacted.
func (s *Store) RollBack(env *sim.Env, to, begin int64, compacted bool) {
	env.Writes(CellStore, 0)
	s.backend = s.backend[:s.search(uint64(to)+1)]
	s.digest, s.digested = sim.NewDigest, 0
	s.beginRev = begin
	if compacted {
		s.scheduledCompact = begin
	}
}

// OldestBackup is the earliest revision that a backup may have.
func (s *Store) OldestBackup() int64 { return max(s.beginRev, s.scheduledCompact, s.compactMainRev) }

// restoreIndex is restoreIntoIndex: the key index from the backend. It returns the last
// deletion that the index lacks, nil if it has all.
func (s *Store) restoreIndex() (forgotten *version) {
	s.kvindex.Clear(true)
	s.initial, s.touched = nil, s.touched[:0]
	s.newest = keyIndex{}
	// A transaction is open if the process has ended in it.
	s.backend = s.backend[:len(s.backend)-len(s.changes)]
	s.changes, s.lost, s.fatal = s.changes[:0], s.lost[:0], false
	s.currentRev = s.beginRev
	for i, old := range s.backend {
		s.currentRev = max(s.currentRev, old.kv.ModRevision)
		v := s.versions.New()
		*v = *old
		v.prev = s.last(v.kv.Key)
		s.backend[i] = v
		if v.prev == nil && v.tombstone && !s.opts.IndexesTombstones {
			forgotten = v
			continue
		}
		s.kvindex.ReplaceOrInsert(keyIndex{v.kv.Key, v})
	}
	return forgotten
}

// restoreRevision takes over what compactions have marked.
func (s *Store) restoreRevision(env *sim.Env) {
	s.compactMainRev = -1
	if finished := *s.finishedCompact.Look(env); finished > 0 {
		s.compactMainRev = finished
	}
	s.currentRev = max(s.currentRev, s.compactMainRev)
	if s.opts.RestoresScheduled {
		s.currentRev = max(s.currentRev, s.scheduledCompact)
	}
}
