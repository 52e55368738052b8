package backend

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Lock is the lock of the backend, as far as Defrag takes it: defrag locks the batch transaction and the read transaction from beginning
// to end, so that no entry is applied and no read begins. Nothing else stops: the raft loop sends heartbeats, streams of watches stay
// open, and a progress request is answered with the revision that the member has had since.
//
// A turn of syncWatchersLoop with a watcher that is not synced waits in etcd, too, and holds the lock of the watchable store meanwhile.
// It does not here.
type Lock struct {
	held bool
	// reads are the places of those that wait to begin.
	reads []int32
}

var (
	cellLock = sim.NewCell("etcd: lock of the backend")

	defragments = sim.NewSituation("etcd: member defragments its backend")
	applyWaits  = sim.NewSituation("etcd: entry waits for a defragmentation")
	readWaits   = sim.NewSituation("etcd: read waits for a defragmentation")
)

// Reset is for a new process: a defragmentation ends with the one before.
func (l *Lock) Reset() { *l = Lock{reads: l.reads[:0]} }

// Defrag begins a defragmentation.
func (l *Lock) Defrag(env *sim.Env) {
	env.Writes(cellLock, 0)
	env.Cover(defragments)
	if env.Noting() {
		env.Note(defrag{})
	}
	l.held = true
}

// Release ends it, and returns the places of the reads that waited. They are valid until the next one waits.
func (l *Lock) Release(env *sim.Env) []int32 {
	env.Writes(cellLock, 0)
	if env.Noting() {
		env.Note(defrag{ended: true})
	}
	l.held = false
	waited := l.reads
	l.reads = l.reads[:0]
	return waited
}

// Held reports whether the member is being defragmented.
func (l *Lock) Held() bool { return l.held }

// HoldsUpApply reports whether the next entry has to wait.
func (l *Lock) HoldsUpApply(env *sim.Env) bool {
	env.LooksAt(cellLock, 0)
	if l.held {
		env.Cover(applyWaits)
	}
	return l.held
}

// HoldsUp reports whether a read has to wait, which then waits.
func (l *Lock) HoldsUp(env *sim.Env, place int32) bool {
	env.LooksAt(cellLock, 0)
	if !l.held {
		return false
	}
	env.Writes(cellLock, 0)
	env.Cover(readWaits)
	l.reads = append(l.reads, place)
	return true
}

// Clone is that of a copy of the member.
func (l *Lock) Clone() Lock { return Lock{l.held, slices.Clone(l.reads)} }

// Fingerprint covers it.
func (l *Lock) Fingerprint(d sim.Digest) sim.Digest {
	if !l.held {
		return d
	}
	d = d.Text("defragments").Int(int64(len(l.reads)))
	for _, place := range l.reads {
		d = d.Int(int64(place))
	}
	return d
}

// defrag: a defragmentation begins, or has ended.
type defrag struct{ ended bool }

// Text implements sim.Note.
func (n defrag) Text(*sim.World) string {
	if n.ended {
		return "has defragmented its backend, and applies what was committed meanwhile"
	}
	return "defragments its backend: it applies no entry and begins no read until that is done"
}
