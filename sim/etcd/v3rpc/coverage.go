package v3rpc

import "github.com/watchbed/watchbed/sim"

// What can come about in the watch path.
var (
	// Creating.
	coverCreateLate     = sim.NewCoveragePoint("etcd: a write came between reading the revision and registering the watch")
	coverCreatedAhead   = sim.NewCoveragePoint("etcd: Created names a revision past events of the watch")
	coverDenied         = sim.NewCoveragePoint("etcd: watch refused, its user has no permission")
	coverCreateDeferred = sim.NewCoveragePoint("etcd: watch created while progress is deferred")
	coverHangupBlocked  = sim.NewCoveragePoint("etcd: stream ended while Send was blocked")
	coverStreamEnded    = sim.NewCoveragePoint("etcd: stream ended from the side of the server")
	coverStreamRefused  = sim.NewCoveragePoint("etcd: stream refused because there is no leader")

	// Sending.
	coverPrevKVCompacted = sim.NewCoveragePoint("etcd: previous value compacted")
	coverPending         = sim.NewCoveragePoint("etcd: events taken before Created")
	coverPendingFlushed  = sim.NewCoveragePoint("etcd: pending events flushed after Created")
	coverSendBlocked     = sim.NewCoveragePoint("etcd: Send blocks")
	coverFragmented      = sim.NewCoveragePoint("etcd: response fragmented")
	coverCtrlFull        = sim.NewCoveragePoint("etcd: ctrlStream full, recvLoop blocked")
	coverEventsFirst     = sim.NewCoveragePoint("etcd: events taken before a control response")
	coverCreatedFirst    = sim.NewCoveragePoint("etcd: Created overtook progress that was queued before the watch")
	coverCanceledFirst   = sim.NewCoveragePoint("etcd: Canceled overtook events")
	coverSendBehindReads = sim.NewCoveragePoint("etcd: response to a watch waits behind the answers to reads")
	coverSendClogged     = sim.NewCoveragePoint("etcd: response to a watch does not get through")

	// Progress.
	coverProgressOvertakes       = sim.NewCoveragePoint("etcd: progress overtook events")
	coverProgressIgnoresUnsynced = sim.NewCoveragePoint("etcd: progress answered with a watcher unsynced")
	coverProgressDeferred        = sim.NewCoveragePoint("etcd: progress deferred")
	coverProgressUnknown         = sim.NewCoveragePoint("etcd: progress request not known")
	coverProgressStillDeferred   = sim.NewCoveragePoint("etcd: progress request ignored, one is deferred")
	coverProgressRetried         = sim.NewCoveragePoint("etcd: deferred progress sent")
	coverTick                    = sim.NewCoveragePoint("etcd: ticker requests progress")
	coverTickElided              = sim.NewCoveragePoint("etcd: ticker leaves out a watch that was sent events")
)
