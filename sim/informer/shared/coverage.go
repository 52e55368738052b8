package shared

import "github.com/watchbed/watchbed/sim"

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
