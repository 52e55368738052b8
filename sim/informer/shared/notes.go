package shared

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
)

// What a shared informer notes while a run is observed.
var (
	processed = sim.NewNote3[batch, int64, sim.Counted]("shared.processed", "processes %s: its store has RV %r, and handlers are to be told of %s")
	told      = sim.NewNote2[name, Notification]("shared.told", "%s is told: %s")

	handlerSynced   = sim.NewNote1[name]("shared.handlerSynced", "%s has synced")
	handlerAdded    = sim.NewNote3[name, sim.Counted, int64]("shared.handlerAdded", "adds %s, which is to be told of %s of RV %d")
	handlerRemoved  = sim.NewNote1[name]("shared.handlerRemoved", "removes %s")
	informerStopped = sim.NewNote0("shared.informerStopped", "stops its informer")
	resyncQueued    = sim.NewNote0("shared.resyncQueued", "resyncs")
)

// batch is what the loop has processed: one delta of a kind, or more.
type batch struct {
	deltas int
	first  deltaKind
}

func (b batch) String() string {
	if b.deltas > 1 {
		return fmt.Sprintf("a batch of %d", b.deltas)
	}
	return deltaNames[b.first]
}

// String is what notes call it.
func (n Notification) String() string {
	kv := n.Object()
	what := fmt.Sprintf("%s=%s of revision %d", kv.Key, kv.Value, kv.ModRevision)
	switch {
	case n.Kind == Added && n.Initial:
		return "there is " + what
	case n.Kind == Added:
		return what + " was added"
	case n.Kind == Deleted:
		return what + " was deleted"
	case n.Resyncs():
		return what + " once more"
	}
	return fmt.Sprintf("it is now %s, after revision %d", what, n.Old.ModRevision)
}

func (n Notification) About() sim.About {
	kv := n.Object()
	return sim.About{Revision: kv.ModRevision, Key: kv.Key}
}

// name is the number of a handler.
type name int

func (n name) String() string { return fmt.Sprintf("handler %d", int(n)+1) }

var (
	batched         = sim.NewCoveragePoint("shared informer: several deltas in a batch")
	repeatedInBatch = sim.NewCoveragePoint("shared informer: batch closed by a second delta of an object")
	processedLocked = sim.NewCoveragePoint("shared informer: queue locked while a batch is processed")
	goneFromList    = sim.NewCoveragePoint("shared informer: object gone from a list")

	bookmarkProcessed = sim.NewCoveragePoint("shared informer: bookmark processed")
	resyncProcessed   = sim.NewCoveragePoint("shared informer: resync processed")

	waitedForBlockDeltas = sim.NewCoveragePoint("shared informer: batch waits for a handler that is added")
	waitedForListeners   = sim.NewCoveragePoint("shared informer: notification before the listeners have started")

	lateWaited       = sim.NewCoveragePoint("shared informer: late handler waits for a batch")
	lateStarted      = sim.NewCoveragePoint("shared informer: handler added after the listeners have started")
	lateUnstarted    = sim.NewCoveragePoint("shared informer: handler added before the listeners have started")
	removedUnstarted = sim.NewCoveragePoint("shared informer: handler removed before it has started")
	stopped          = sim.NewCoveragePoint("shared informer: stopped")
)
