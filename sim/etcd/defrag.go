package etcd

import "github.com/watchbed/watchbed/sim"

// backendLock is the lock of the backend, as far as Defrag takes it: defrag locks the batch transaction and the read transaction from beginning
// to end, so that no entry is applied and no read begins. Nothing else stops: the raft loop sends heartbeats, streams of watches stay
// open, and a progress request is answered with the revision that the member has had since.
//
// A turn of syncWatchersLoop with a watcher that is not synced waits in etcd, too, and holds the lock of the watchable store meanwhile.
// It does not here.
type backendLock struct {
	held bool
	// reads are the places of those that wait to begin.
	reads []int32
}

var (
	cellBackend = sim.NewCell("etcd: lock of the backend")

	coverDefragments      = sim.NewCoveragePoint("etcd: member defragments its backend")
	coverApplyWaits       = sim.NewCoveragePoint("etcd: entry waits for a defragmentation")
	coverReadAwaitsDefrag = sim.NewCoveragePoint("etcd: read waits for a defragmentation")
)

// reset is for a new process: a defragmentation ends with the one before.
func (l *backendLock) reset() { *l = backendLock{reads: l.reads[:0]} }

// defrag begins a defragmentation.
func (l *backendLock) defrag(env *sim.Env) {
	env.Writes(cellBackend, 0)
	env.Cover(coverDefragments)
	defragments.Say(env)
	l.held = true
}

// release ends it, and returns the places of the reads that waited. They are valid until the next one waits.
func (l *backendLock) release(env *sim.Env) []int32 {
	env.Writes(cellBackend, 0)
	defragmented.Say(env)
	l.held = false
	waited := l.reads
	l.reads = l.reads[:0]
	return waited
}

// holdsUpApply reports whether the next entry has to wait.
func (l *backendLock) holdsUpApply(env *sim.Env) bool {
	env.LooksAt(cellBackend, 0)
	if l.held {
		env.Cover(coverApplyWaits)
	}
	return l.held
}

// holdsUp reports whether a read has to wait, which then waits.
func (l *backendLock) holdsUp(env *sim.Env, place int32) bool {
	env.LooksAt(cellBackend, 0)
	if !l.held {
		return false
	}
	env.Writes(cellBackend, 0)
	env.Cover(coverReadAwaitsDefrag)
	l.reads = append(l.reads, place)
	return true
}
