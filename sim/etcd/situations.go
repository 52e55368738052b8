package etcd

import "github.com/watchbed/watchbed/sim"

// What can come about in the watch path, and what is rare elsewhere.
var (
	// Creating and cancelling.
	coverCreateLate     = sim.NewSituation("etcd: a write came between reading the revision and registering the watch")
	coverCreatedAhead   = sim.NewSituation("etcd: Created names a revision past events of the watch")
	coverCreateDeferred = sim.NewSituation("etcd: watch created while progress is deferred")
	coverWatchRefused   = sim.NewSituation("etcd: watch refused")
	coverCancelUnsynced = sim.NewSituation("etcd: unsynced watcher cancelled")
	coverCancelVictim   = sim.NewSituation("etcd: victim cancelled")
	coverCancelInFlight = sim.NewSituation("etcd: cancel waits for a victim in flight")
	coverHangupBlocked  = sim.NewSituation("etcd: stream ended while Send was blocked")

	// Notifying and syncing.
	coverNotified               = sim.NewSituation("etcd: synced watcher notified")
	coverNotifyVictim           = sim.NewSituation("etcd: synced watcher becomes a victim")
	coverVictimDeferred         = sim.NewSituation("etcd: victim while progress is deferred")
	coverFiltered               = sim.NewSituation("etcd: all events filtered out")
	coverChannelFull            = sim.NewSituation("etcd: watch channel full")
	coverSynced                 = sim.NewSituation("etcd: unsynced watcher brought its history and synced")
	coverSyncedSilently         = sim.NewSituation("etcd: unsynced watcher synced without a word")
	coverSyncedSilentlyDeferred = sim.NewSituation("etcd: unsynced watcher synced without a word while progress is deferred")
	coverSyncVictim             = sim.NewSituation("etcd: unsynced watcher becomes a victim")
	coverSyncMore               = sim.NewSituation("etcd: more history than one batch")
	coverSyncAgain              = sim.NewSituation("etcd: next sync at once, more work pending")
	coverFutureLowered          = sim.NewSituation("etcd: sync moves a watch back from its future revision")
	coverVictimSent             = sim.NewSituation("etcd: victim sent to")
	coverVictimStays            = sim.NewSituation("etcd: victim's channel still full")
	coverVictimUnsynced         = sim.NewSituation("etcd: victim becomes unsynced")
	coverVictimSynced           = sim.NewSituation("etcd: victim becomes synced")

	// Compactions.
	coverCompacted             = sim.NewSituation("etcd: watcher cancelled for compaction")
	coverCompactedFull         = sim.NewSituation("etcd: compacted while the channel is full")
	coverCompactedSkipped      = sim.NewSituation("etcd: compacted watcher skipped until the channel has room")
	coverCompactedFallsThrough = sim.NewSituation("etcd: compacted watcher falls through to synced")
	coverCompactedSubset       = sim.NewSituation("etcd: watcher cancelled for compaction from a subset stays unsynced")
	coverCompactionPauses      = sim.NewSituation("etcd: compaction pauses between batches")
	coverPrevKVCompacted       = sim.NewSituation("etcd: previous value compacted")

	// Sending.
	coverPending        = sim.NewSituation("etcd: events taken before Created")
	coverPendingFlushed = sim.NewSituation("etcd: pending events flushed after Created")
	coverSendBlocked    = sim.NewSituation("etcd: Send blocks")
	coverFragmented     = sim.NewSituation("etcd: response fragmented")
	coverCtrlFull       = sim.NewSituation("etcd: ctrlStream full, recvLoop blocked")
	coverEventsFirst    = sim.NewSituation("etcd: events taken before a control response")
	coverCreatedFirst   = sim.NewSituation("etcd: Created overtook progress that was queued before the watch")
	coverCanceledFirst  = sim.NewSituation("etcd: Canceled overtook events")

	// Progress.
	coverProgressOvertakes       = sim.NewSituation("etcd: progress overtook events")
	coverProgressIgnoresUnsynced = sim.NewSituation("etcd: progress answered with a watcher unsynced")
	coverProgressUnsynced        = sim.NewSituation("etcd: progress requested while unsynced")
	coverProgressVictim          = sim.NewSituation("etcd: progress requested with a victim")
	coverProgressCompacted       = sim.NewSituation("etcd: progress requested with a watcher that compaction cancelled")
	coverProgressBelowStart      = sim.NewSituation("etcd: progress requested below a start revision")
	coverProgressNoWatchers      = sim.NewSituation("etcd: progress requested without watchers")
	coverProgressFull            = sim.NewSituation("etcd: progress lost, channel full")
	coverProgressDeferred        = sim.NewSituation("etcd: progress deferred")
	coverProgressStillDeferred   = sim.NewSituation("etcd: progress request ignored, one is deferred")
	coverProgressRetried         = sim.NewSituation("etcd: deferred progress sent")
	coverTick                    = sim.NewSituation("etcd: ticker requests progress")
	coverTickElided              = sim.NewSituation("etcd: ticker leaves out a watch that was sent events")

	// Reads, restarts, snapshots.
	coverReadWaits         = sim.NewSituation("etcd: linearizable read waits for apply")
	coverReadBatch         = sim.NewSituation("etcd: several linearizable reads confirmed at once")
	coverRestart           = sim.NewSituation("etcd: restart")
	coverRestartUnapplied  = sim.NewSituation("etcd: restart with writes committed and not applied")
	coverRevisionBack      = sim.NewSituation("etcd: revision goes back")
	coverCompactionResumed = sim.NewSituation("etcd: compaction resumed after a restart")
	coverRestore           = sim.NewSituation("etcd: snapshot installed")
)
