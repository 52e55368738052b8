package v3rpc

import "github.com/watchbed/watchbed/sim"

// What can come about in the watch path.
var (
	// Creating.
	coverCreateLate     = sim.NewSituation("etcd: a write came between reading the revision and registering the watch")
	coverCreatedAhead   = sim.NewSituation("etcd: Created names a revision past events of the watch")
	coverCreateDeferred = sim.NewSituation("etcd: watch created while progress is deferred")
	coverHangupBlocked  = sim.NewSituation("etcd: stream ended while Send was blocked")
	coverStreamEnded    = sim.NewSituation("etcd: stream ended from the side of the server")
	coverStreamRefused  = sim.NewSituation("etcd: stream refused because there is no leader")

	// Sending.
	coverPrevKVCompacted = sim.NewSituation("etcd: previous value compacted")
	coverPending         = sim.NewSituation("etcd: events taken before Created")
	coverPendingFlushed  = sim.NewSituation("etcd: pending events flushed after Created")
	coverSendBlocked     = sim.NewSituation("etcd: Send blocks")
	coverFragmented      = sim.NewSituation("etcd: response fragmented")
	coverCtrlFull        = sim.NewSituation("etcd: ctrlStream full, recvLoop blocked")
	coverEventsFirst     = sim.NewSituation("etcd: events taken before a control response")
	coverCreatedFirst    = sim.NewSituation("etcd: Created overtook progress that was queued before the watch")
	coverCanceledFirst   = sim.NewSituation("etcd: Canceled overtook events")
	coverSendBehindReads = sim.NewSituation("etcd: response to a watch waits behind the answers to reads")
	coverSendClogged     = sim.NewSituation("etcd: response to a watch does not get through")

	// Progress.
	coverProgressOvertakes       = sim.NewSituation("etcd: progress overtook events")
	coverProgressIgnoresUnsynced = sim.NewSituation("etcd: progress answered with a watcher unsynced")
	coverProgressDeferred        = sim.NewSituation("etcd: progress deferred")
	coverProgressUnknown         = sim.NewSituation("etcd: progress request not known")
	coverProgressStillDeferred   = sim.NewSituation("etcd: progress request ignored, one is deferred")
	coverProgressRetried         = sim.NewSituation("etcd: deferred progress sent")
	coverTick                    = sim.NewSituation("etcd: ticker requests progress")
	coverTickElided              = sim.NewSituation("etcd: ticker leaves out a watch that was sent events")
)
