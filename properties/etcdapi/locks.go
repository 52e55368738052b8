package etcdapi

import (
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
)

// FencedWrites holds each write of an object that a lock protects against the keys of the lock at the revision of the
// write. The writer compares the create revision of its key in the same transaction (concurrency.Mutex.IsOwner), so
// that a write which comes behind the end of its lease changes nothing. It is exercised by each write.
var FencedWrites = testbed.RegisterProperty(&testbed.Property{
	Name: "fenced-writes", Kind: testbed.Safety,
	Promise:  "A write that compares the create revision of the writer's key takes effect only while that key holds the lock.",
	Violated: "written without the lock",
	New:      testbed.RecordedBy(func(s *testbed.System) *lockWrites { return &lockWrites{s, true} }, (*lockWrites).judge),
})

// UnfencedWrites is the same of writers that look at their own clocks, and compare nothing. No etcd keeps that: a lease
// protects its key and nothing else. It is exercised by each write.
var UnfencedWrites = testbed.RegisterProperty(&testbed.Property{
	Name: "unfenced-writes", Kind: testbed.Safety,
	Promise:  "A write that is sent while the writer's lease lives by its own clock takes effect only while its key holds the lock.",
	Violated: "written without the lock",
	New:      testbed.RecordedBy(func(s *testbed.System) *lockWrites { return &lockWrites{s, false} }, (*lockWrites).judge),
})

type lockWrites struct {
	system *testbed.System
	fenced bool
}

func (j *lockWrites) judge(_ *sim.World, all *testbed.Tally) {
	log := j.system.Truth().Log()
	for i := range plans.Locks {
		lock := &plans.Locks[i]
		for rev := log.First() + 1; lock.Fenced == j.fenced && rev <= log.Revision(); rev++ {
			written := log.At(rev).Get(lock.Object)
			if written == nil || written.ModRevision != rev {
				continue
			}
			all.Exercised++
			about := testbed.Concern{Revision: rev, Key: lock.Object}
			switch own, holder := lock.CreateRevisionOf(written.Value), lock.Holder(log.At(rev)); {
			case holder == nil:
				all.Violatef("", about, "%s was written at revision %d by the client of the key of revision %d, and no key held the lock", lock.Object, rev, own)
			case holder.CreateRevision != own:
				all.Violatef("", about, "%s was written at revision %d by the client of the key of revision %d, and the key of revision %d held the lock",
					lock.Object, rev, own, holder.CreateRevision)
			}
		}
	}
}

// LocksHandedOn holds the time for which a key has been the oldest of its lock against what its client needs to learn
// of that and to write, or else its lease to run out. What begins while the network is slow and faults strike counts
// from when that is over. Only a run with a clock is judged. It is exercised by each key that became the oldest after
// others.
var LocksHandedOn = testbed.RegisterProperty(&testbed.Property{
	Name: "locks-handed-on", Kind: testbed.Liveness, Inside: true,
	Promise:  "When the key that holds a lock is gone, the client of the next one writes soon, or its key goes too.",
	Violated: "lock is not handed on",
	New: testbed.RecordedBy(func(s *testbed.System) *handedOn {
		b := s.LeaseBound().Plus(plans.LockTTL, "a lease").Plus(s.ElectionTimeout(), "its extension by a new leader")
		b = b.Plus(plans.LockPoll, "a turn of waiting").Plus(plans.LockPause, "a pause")
		return &handedOn{leaseLivesOf(s), evidence.Of(s), b}
	}, (*handedOn).judge),
})

type handedOn struct {
	lives    *leaseLives
	evidence *evidence.Recorder
	bound    testbed.Bound
}

func (j *handedOn) judge(w *sim.World, all *testbed.Tally) {
	if w.Mode() == sim.Untimed || w.Phase() != sim.Liveness {
		return
	}
	for i := range plans.Locks {
		j.judgeLock(w, &plans.Locks[i], all)
	}
}

func (j *handedOn) judgeLock(w *sim.World, lock *plans.Lock, all *testbed.Tally) {
	log := j.lives.system.Truth().Log()
	var holder *model.Item
	var since sim.Time
	waits := false
	// ends is called when the holder writes, when its key is gone, and at the end.
	ends := func(at sim.Time) {
		began := max(since, j.lives.calm)
		if !waits || at < began {
			return
		}
		all.Exercised++
		if waited := at.Sub(began); waited > j.bound.Total {
			all.Violatef("", testbed.Concern{Key: holder.Key, Revision: holder.CreateRevision, Began: since},
				"%s became the oldest key of its lock at %v, and for %v its client wrote nothing: the bound is %v (%s)",
				holder.Key, since.Sub(0), waited.Round(time.Millisecond), j.bound.Total, j.bound.Derivation)
		}
	}
	for rev := log.First() + 1; rev <= log.Revision(); rev++ {
		oldest := lock.Holder(log.At(rev))
		at, _ := j.evidence.Reached(rev)
		if written := log.At(rev).Get(lock.Object); waits && written != nil && written.ModRevision == rev && lock.CreateRevisionOf(written.Value) == holder.CreateRevision {
			ends(at)
			waits = false
		}
		if holder != nil && oldest != nil && oldest.CreateRevision == holder.CreateRevision {
			continue
		}
		ends(at)
		holder, since, waits = oldest, at, oldest != nil && oldest.CreateRevision < rev
	}
	ends(w.Now())
}
