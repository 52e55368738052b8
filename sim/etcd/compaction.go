package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// compactionJob is what a compaction still has to do after it was answered:
// store.scheduleCompaction, one batch a step.
type compactionJob struct {
	rev int64
	// The next batch begins at this change.
	next int64
	sub  int32
}

// compact is store.Compact: the revision is fixed at once, the work comes
// later.
func (s *store) compact(rev int64) wire.Code {
	if rev <= s.compactMainRev {
		return wire.ErrCompacted
	}
	if rev > s.currentRev {
		return wire.ErrFutureRev
	}
	s.compactMainRev, s.scheduledCompact = rev, rev
	return 0
}

// keeps reports whether a compaction at rev leaves a change in the backend:
// keyIndex.doCompact. The newest version of each key stays, unless it is a
// tombstone.
func (s *store) keeps(v *version, rev int64, t CompactTombstone) bool {
	newest := s.last(v.kv.Key)
	for newest != nil && newest.kv.ModRevision > rev {
		newest = newest.prev
	}
	if newest != v {
		return false
	}
	return !v.tombstone || t == Kept && v.kv.ModRevision == rev
}

// compactBatch deletes what it may among the next limit changes and reports
// whether that was the end: one turn of scheduleCompaction's loop.
func (s *store) compactBatch(job *compactionJob, limit int, t CompactTombstone) (done bool) {
	s.removed = s.removed[:0]
	from := s.search(uint64(job.next))
	for from < len(s.backend) && s.backend[from].kv.ModRevision == job.next && s.backend[from].sub < job.sub {
		from++
	}
	kept := s.backend[:from:from]
	end := from
	for end < len(s.backend) && s.backend[end].kv.ModRevision <= job.rev && end-from < limit {
		v := s.backend[end]
		if s.keeps(v, job.rev, t) {
			kept = append(kept, v)
		} else {
			s.removed = append(s.removed, v)
		}
		job.next, job.sub = v.kv.ModRevision, v.sub+1
		end++
	}
	s.backend = append(kept, s.backend[end:]...)
	s.digest, s.digested = sim.NewDigest, 0
	if end-from == limit {
		return false
	}
	s.compactIndex(job.rev, t)
	s.finishedCompact = job.rev
	return true
}

// compactIndex is treeIndex.Compact: keys of which nothing is left go, so that
// ranges need not pass over them. Versions of the other keys that nobody may ask
// for any more stay reachable; no reader gets there.
func (s *store) compactIndex(rev int64, t CompactTombstone) {
	var gone []keyIndex
	s.kvindex.Ascend(func(ki keyIndex) bool {
		if v := ki.last; v.tombstone && v.kv.ModRevision <= rev && !s.keeps(v, rev, t) {
			gone = append(gone, ki)
		}
		return true
	})
	for _, ki := range gone {
		s.removed = append(s.removed, ki.last)
		s.kvindex.Delete(ki)
	}
	s.newest = keyIndex{}
}

// restore is store.restore: everything but the backend and the marks of
// compactions is made anew. It returns the compaction that has to go on, nil if
// none has.
func (s *store) restore(b *Behaviour) *compactionJob {
	s.kvindex.Clear(true)
	s.newest = keyIndex{}
	s.changes = s.changes[:0]
	s.compactMainRev = -1
	if s.finishedCompact > 0 {
		s.compactMainRev = s.finishedCompact
	}
	s.currentRev = s.beginRev
	for i, old := range s.backend {
		s.currentRev = max(s.currentRev, old.kv.ModRevision)
		v := s.versions.new()
		*v = *old
		v.prev = s.last(v.kv.Key)
		s.backend[i] = v
		if v.prev == nil && v.tombstone && b.RestoreTombstone == NotIndexed {
			continue
		}
		s.kvindex.ReplaceOrInsert(keyIndex{v.kv.Key, v})
	}
	s.currentRev = max(s.currentRev, s.compactMainRev)
	if b.RestoreRevision == FromScheduledCompaction {
		s.currentRev = max(s.currentRev, s.scheduledCompact)
	}
	rev := s.scheduledCompact
	if rev <= s.compactMainRev || s.compact(rev) != 0 {
		return nil
	}
	return &compactionJob{rev: rev}
}
