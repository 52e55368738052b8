package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// A WatchList held a read lock of its own while it waited for the cache to be
// fresh, beside the one that cond.Wait gives back. The next event waited for the
// write lock, and every reader behind it, the WatchList included.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-117137", Issue: "kubernetes/kubernetes#117137", FixedIn: "Kubernetes 1.28",
	Summary:  "a WatchList waits for a fresh cache while it holds the lock that the cache needs to become fresh",
	Setting:  "freshness-lock=held",
	Scenario: scenarios.WatchListEnds, Property: watches.InitialEventsEnd,
	Why: "the WatchList and every read behind it wait forever",
})

var _ = read.Locks.Register("held", "it keeps a read lock: the next event, and all reads behind it, wait forever (kubernetes#117137)",
	func() read.Lock { return &heldLock{} })

// heldLock is a lock that a WatchList holds while it waits.
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

// Cells implements read.Lock.
func (l *heldLock) Cells(visit sim.CellVisitor) { visit(cellLock, 0, sim.NewDigest.Bool(l.stuck)) }

// lockedOut: an event cannot be taken in.
type lockedOut struct{ event *wire.WatchEvent }

// SetsBack implements sim.Setback.
func (n lockedOut) SetsBack() bool { return true }

// Text implements sim.Note.
func (n lockedOut) Text(*sim.World) string {
	return "cannot take in " + n.event.Label() + ": a WatchList holds the lock while it waits for that event"
}
