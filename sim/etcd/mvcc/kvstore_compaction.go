package mvcc

import (
	"slices"

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

func (j *compactionJob) Item() int64 { return j.rev }

// Compact is store.Compact: the revision is fixed at once, the work comes
// later. The code is 0 or that of a refusal.
func (s *Store) Compact(env *sim.Env, rev int64) wire.Code {
	env.Read(CellCompactRev, 0)
	s.Rev(env)
	if code := s.compact(rev); code != 0 {
		return code
	}
	env.WriteItem(CellCompactRev, 0, rev)
	s.jobs.Add(env, compactionJob{rev: rev})
	if len(s.jobs.All()) == 1 {
		env.Enable(scheduleCompaction)
	}
	return 0
}

func (s *Store) compact(rev int64) wire.Code {
	if rev <= s.compactMainRev {
		return wire.ErrCompacted
	}
	if rev > s.currentRev {
		return wire.ErrFutureRev
	}
	s.compactMainRev, s.scheduledCompact = rev, rev
	return 0
}

// scheduleCompaction is one batch of the compaction that is under way.
func (s *Store) scheduleCompaction(env *sim.Env) {
	job := s.jobs.Read(env, 0)
	rev, done := job.rev, s.compactBatch(&job)
	s.jobs.Put(env, 0, job)
	env.LookAt(CellStore, 0)
	for _, v := range s.removed {
		env.WriteItem(CellStore, 0, v.kv.ModRevision)
		switch lost := slices.Contains(s.lost, v); {
		case lost:
			env.Cover(coverRecreatedLost)
			valueRemoved.Say(env, rev, v.kv.Key)
		case v.tombstone && v.kv.ModRevision == rev:
			tombstoneRemoved.Say(env, rev, v.kv.Key)
		}
	}
	for _, v := range s.forgotten {
		env.WriteItem(CellStore, 0, v.kv.ModRevision)
	}
	if !done {
		env.Cover(coverCompactionPauses)
		env.Arm(compactionSleep, s.opts.CompactionSleepInterval)
		return
	}
	s.finishedCompact.Set(env, rev)
	s.jobs.Pop(env, 0)
	s.jobsDone++
	if len(s.jobs.All()) > 0 {
		env.Enable(scheduleCompaction)
	}
}

// ScheduledJobs is how many compactions have been scheduled in this process, FinishedJobs how
// many of them are done. They are carried out in their order (fifoSched).
func (s *Store) ScheduledJobs(env *sim.Env) int {
	return s.jobsDone + len(s.jobs.Look(env))
}

// FinishedJobs is that number.
func (s *Store) FinishedJobs() int {
	if jobs := s.jobs.All(); s.opts.AnswersFirstBatch && len(jobs) > 0 && jobs[0].next > 0 {
		return s.jobsDone + 1
	}
	return s.jobsDone
}

// Superseded is how many changes up to a revision are still in the backend although a later
// one of their key, up to that revision, is there too: what a compaction removes.
func (s *Store) Superseded(rev int64) int {
	newest := map[string]bool{}
	n := 0
	for i := len(s.backend) - 1; i >= 0; i-- {
		v := s.backend[i]
		if v.kv.ModRevision > rev {
			continue
		}
		if newest[v.kv.Key] {
			n++
		}
		newest[v.kv.Key] = true
	}
	return n
}

// Ghosts is how many keys the index has of which a compaction has left nothing.
func (s *Store) Ghosts() (n int) {
	s.kvindex.Ascend(func(ki keyIndex) bool {
		if ki.last.tombstone && ki.last.kv.ModRevision < s.compactMainRev {
			n++
		}
		return true
	})
	return n
}

// compactBatch deletes what it may among the next changes and reports whether that
// was the end: one turn of scheduleCompaction's loop.
func (s *Store) compactBatch(job *compactionJob) (done bool) {
	limit := s.opts.CompactionBatchLimit
	s.removed, s.forgotten = s.removed[:0], s.forgotten[:0]
	from := s.search(uint64(job.next))
	for from < len(s.backend) && s.backend[from].kv.ModRevision == job.next && s.backend[from].sub < job.sub {
		from++
	}
	kept := s.backend[:from:from]
	end := from
	for end < len(s.backend) && s.backend[end].kv.ModRevision <= job.rev && end-from < limit {
		v := s.backend[end]
		if s.keeps(v, job.rev) {
			kept = append(kept, v)
		} else {
			s.removed = append(s.removed, v)
			if !v.tombstone && v == s.newestAt(v.kv.Key, job.rev) {
				s.lost = append(s.lost, v)
			}
		}
		if s.Forgets && v.kv.ModRevision < job.rev {
			// Versions share blocks of memory, so that one which is gone may still be there, and all before it.
			v.prev = nil
		}
		job.next, job.sub = v.kv.ModRevision, v.sub+1
		end++
	}
	s.backend = append(kept, s.backend[end:]...)
	s.digest, s.digested = sim.NewDigest, 0
	if end-from == limit {
		return false
	}
	s.compactIndex(job.rev)
	return true
}

// newestAt is the version of a key that a compaction at rev has to keep, tombstone or not, nil if there is none.
func (s *Store) newestAt(key string, rev int64) *version {
	v := s.last(key)
	for v != nil && v.kv.ModRevision > rev {
		v = v.prev
	}
	return v
}

// keeps reports whether a compaction at rev leaves a change in the backend:
// keyIndex.doCompact. The newest version of each key stays, unless it is a
// tombstone.
func (s *Store) keeps(v *version, rev int64) bool {
	newest := s.newestAt(v.kv.Key, rev)
	if s.opts.LosesRecreated {
		for u := newest; u != nil && u.kv.ModRevision == rev; u = u.prev {
			if u.tombstone {
				newest = u
			}
		}
	}
	if newest != v {
		return false
	}
	return !v.tombstone || s.opts.KeepsTombstone && v.kv.ModRevision == rev
}

// compactIndex is treeIndex.Compact: keys of which nothing is left go, so that
// ranges need not pass over them. Versions of the other keys that no reader may ask
// for any more stay reachable, unless the store Forgets; no reader gets there.
func (s *Store) compactIndex(rev int64) {
	var gone []keyIndex
	look := func(ki keyIndex) bool {
		if v := ki.last; v.tombstone && v.kv.ModRevision <= rev && !s.keeps(v, rev) {
			gone = append(gone, ki)
		}
		return true
	}
	if s.initial == nil {
		s.kvindex.Ascend(look)
	}
	for _, key := range s.touched {
		if ki, indexed := s.kvindex.Get(keyIndex{key: key}); indexed {
			look(ki)
		}
	}
	for _, ki := range gone {
		s.forgotten = append(s.forgotten, ki.last)
		s.kvindex.Delete(ki)
	}
	s.newest = keyIndex{}
}
