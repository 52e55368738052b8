package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
)

// backendLock is the lock of the backend, as far as Defrag takes it: defrag locks the batch transaction and the read
// transaction from beginning to end, so that no entry is applied and no read begins. Nothing else stops: the raft loop
// sends heartbeats, streams of watches stay open, and a progress request is answered with the revision that the member
// has had since.
//
// A turn of syncWatchersLoop with a watcher that is not synced waits in etcd, too, and holds the lock of the watchable
// store meanwhile. It does not here.
type backendLock struct {
	state.Cell[backendLock] `cell:"etcd: lock of the backend"`

	held bool
	// reads are the places of the reads that wait to begin.
	reads []int32
}

var (
	coverDefragments      = sim.NewCoveragePoint("etcd: member defragments its backend")
	coverApplyWaits       = sim.NewCoveragePoint("etcd: entry waits for a defragmentation")
	coverReadAwaitsDefrag = sim.NewCoveragePoint("etcd: read waits for a defragmentation")
)

// defrag begins a defragmentation.
func (l *backendLock) defrag(env *sim.Env) {
	env.Cover(coverDefragments)
	defragments.Say(env)
	l.Change(env).held = true
}

// release ends it, and returns the places of the reads that waited. They are valid until the next one waits.
func (l *backendLock) release(env *sim.Env) []int32 {
	defragmented.Say(env)
	l.Change(env).held = false
	waited := l.reads
	l.reads = l.reads[:0]
	return waited
}

// holdsUpApply reports whether the next entry has to wait.
func (l *backendLock) holdsUpApply(env *sim.Env) bool {
	if l.Look(env).held {
		env.Cover(coverApplyWaits)
	}
	return l.held
}

// holdsUp reports whether a read has to wait, which then waits.
func (l *backendLock) holdsUp(env *sim.Env, place int32) bool {
	if !l.Look(env).held {
		return false
	}
	env.Cover(coverReadAwaitsDefrag)
	l.Change(env).reads = append(l.reads, place)
	return true
}
