package shared

import "github.com/watchbed/watchbed/sim"

var (
	batched         = sim.NewSituation("shared informer: several deltas in a batch")
	repeatedInBatch = sim.NewSituation("shared informer: batch closed by a second delta of an object")
	processedLocked = sim.NewSituation("shared informer: queue locked while a batch is processed")
	goneFromList    = sim.NewSituation("shared informer: object gone from a list")

	bookmarkProcessed = sim.NewSituation("shared informer: bookmark processed")
	resyncProcessed   = sim.NewSituation("shared informer: resync processed")

	waitedForBlockDeltas = sim.NewSituation("shared informer: batch waits for a handler that is added")
	waitedForListeners   = sim.NewSituation("shared informer: notification before the listeners have started")

	lateWaited       = sim.NewSituation("shared informer: late handler waits for a batch")
	lateStarted      = sim.NewSituation("shared informer: handler added after the listeners have started")
	lateUnstarted    = sim.NewSituation("shared informer: handler added before the listeners have started")
	removedUnstarted = sim.NewSituation("shared informer: handler removed before it has started")
	stopped          = sim.NewSituation("shared informer: stopped")
)
