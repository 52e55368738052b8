package mvcc

import "github.com/watchbed/watchbed/sim"

// What can come about in the store, and what is rare elsewhere.
var (
	// Creating and cancelling.
	coverWatchRefused   = sim.NewSituation("etcd: watch refused")
	coverCancelUnsynced = sim.NewSituation("etcd: unsynced watcher cancelled")
	coverCancelVictim   = sim.NewSituation("etcd: victim cancelled")
	coverCancelInFlight = sim.NewSituation("etcd: cancel waits for a victim in flight")

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
	coverNegativeFromKept       = sim.NewSituation("etcd: watch from a negative revision sent history that was kept")
	coverBehindEvents           = sim.NewSituation("etcd: revision read before a write is visible whose events are in a watch channel")
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
	coverRecreatedLost         = sim.NewSituation("etcd: compaction removes the value of a key that its revision deletes and puts again")
	coverCompactionPauses      = sim.NewSituation("etcd: compaction pauses between batches")
	coverCompactionResumed     = sim.NewSituation("etcd: compaction resumed after a restart")
	coverRevisionBack          = sim.NewSituation("etcd: revision goes back")
	coverRestore               = sim.NewSituation("etcd: snapshot installed")

	// Progress.
	coverProgressUnsynced   = sim.NewSituation("etcd: progress requested while unsynced")
	coverProgressVictim     = sim.NewSituation("etcd: progress requested with a victim")
	coverProgressCompacted  = sim.NewSituation("etcd: progress requested with a watcher that compaction cancelled")
	coverProgressBelowStart = sim.NewSituation("etcd: progress requested below a start revision")
	coverProgressNoWatchers = sim.NewSituation("etcd: progress requested without watchers")
	coverProgressFull       = sim.NewSituation("etcd: progress lost, channel full")
)
