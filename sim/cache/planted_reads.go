package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
)

func init() {
	read.ZeroVersions.Register("consistent", "like one without resourceVersion (kubernetes#123676)",
		func(resourceVersion int64) bool { return resourceVersion <= 0 })
	read.ListPrefixes.Register("open", "those whose key begins with it, siblings included (kubernetes#125584)",
		func(prefix string) string { return prefix })
	read.GetWaits.Register("silent", "no: on a quiet range the GET times out (kubernetes#123674)",
		func(r *read.Read) bool { return !r.IsGet() })
	read.NextPages.Register("newest", "the present one, from the token's key on", newestPage)
	read.RevisionSources.Register("last-reader", "the one that etcd answered to the reader before it",
		func() read.RevisionSource { return &lastReader{} })
	read.Locks.Register("held", "it keeps a read lock: the next event, and all reads behind it, wait forever (kubernetes#117137)",
		func() read.Lock { return &heldLock{} })
}

// newestPage goes on with a list in the newest state.
func newestPage(env *sim.Env, r *read.Read) int64 {
	newest := r.Delegator().Config().Store.ResourceVersion(env)
	if r.Start() == "" || newest <= r.Exact() {
		return r.Exact()
	}
	if env.Noting() {
		env.Note(otherState{r.Exact(), newest})
	}
	return newest
}

// otherState: a list goes on in another state than it began.
type otherState struct{ exact, newest int64 }

// Text implements sim.Note.
func (n otherState) Text(*sim.World) string {
	return "goes on with a list of resourceVersion " + number(n.exact) + " in the state at " + number(n.newest)
}

// lastReader keeps the revision that etcd answered to a reader for the next one.
// etcd is asked all the same, so that the question takes as long.
type lastReader struct{ answered int64 }

var cellLastAnswer = sim.NewCell("cache: revision of the last reader")

// Reset implements read.RevisionSource.
func (l *lastReader) Reset() { l.answered = 0 }

// Known implements read.RevisionSource.
func (l *lastReader) Known(env *sim.Env, revision int64) int64 {
	env.Reads(cellLastAnswer, 0)
	env.Writes(cellLastAnswer, 0)
	kept := l.answered
	l.answered = revision
	if kept == 0 || kept == revision {
		return revision
	}
	if env.Noting() {
		env.Note(otherReader{kept})
	}
	return kept
}

// Clone implements read.RevisionSource.
func (l *lastReader) Clone() read.RevisionSource { c := *l; return &c }

// Fingerprint implements read.RevisionSource.
func (l *lastReader) Fingerprint(d sim.Digest) sim.Digest { return d.Int(l.answered) }

// otherReader: a read waits for the revision that was told to another one.
type otherReader struct{ kept int64 }

// Text implements sim.Note.
func (n otherReader) Text(*sim.World) string {
	return "goes by revision " + number(n.kept) + " all the same, which it heard for the reader before"
}

// heldLock is the lock of a WatchList that holds a read lock of its own beside the
// one that cond.Wait gives back. The next event waits for the write lock, and each
// read waits behind that, the WatchList included: nothing moves any more
// (kubernetes/kubernetes#117137).
type heldLock struct {
	// stuck: an event waits for the lock.
	stuck bool
}

var cellLock = sim.NewCell("cache: lock")

// Reset implements read.Lock.
func (l *heldLock) Reset() { l.stuck = false }

// Admit implements read.Lock.
func (l *heldLock) Admit(env *sim.Env, d *read.Delegator, e *wire.WatchEvent) bool {
	if !d.WatchWaits(env) {
		return true
	}
	if env.Noting() {
		env.Note(lockedOut{e})
	}
	env.Writes(cellLock, 0)
	l.stuck = true
	return false
}

// Free implements read.Lock.
func (l *heldLock) Free(env *sim.Env) bool {
	env.Reads(cellLock, 0)
	return !l.stuck
}

// Clone implements read.Lock.
func (l *heldLock) Clone() read.Lock { c := *l; return &c }

// Fingerprint implements read.Lock.
func (l *heldLock) Fingerprint(d sim.Digest) sim.Digest { return d.Bool(l.stuck) }

// lockedOut: an event cannot be taken in.
type lockedOut struct{ event *wire.WatchEvent }

// Text implements sim.Note.
func (n lockedOut) Text(*sim.World) string {
	return "cannot take in " + n.event.Label() + ": a WatchList holds the lock while it waits for that event"
}
