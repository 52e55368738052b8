package mvcc

import "github.com/watchbed/watchbed/sim"

// What can come about in the store, and what is rare elsewhere.
var (
	// Creating and cancelling.
	coverWatchRefused   = sim.NewCoveragePoint("etcd: watch refused")
	coverCancelUnsynced = sim.NewCoveragePoint("etcd: unsynced watcher cancelled")
	coverCancelVictim   = sim.NewCoveragePoint("etcd: victim cancelled")
	coverCancelInFlight = sim.NewCoveragePoint("etcd: cancel waits for a victim in flight")

	// Notifying and syncing.
	coverNotified               = sim.NewCoveragePoint("etcd: synced watcher notified")
	coverNotifyVictim           = sim.NewCoveragePoint("etcd: synced watcher becomes a victim")
	coverVictimDeferred         = sim.NewCoveragePoint("etcd: victim while progress is deferred")
	coverFiltered               = sim.NewCoveragePoint("etcd: all events filtered out")
	coverChannelFull            = sim.NewCoveragePoint("etcd: watch channel full")
	coverSynced                 = sim.NewCoveragePoint("etcd: unsynced watcher brought its history and synced")
	coverSyncedSilently         = sim.NewCoveragePoint("etcd: unsynced watcher synced without a word")
	coverSyncedSilentlyDeferred = sim.NewCoveragePoint("etcd: unsynced watcher synced without a word while progress is deferred")
	coverSyncVictim             = sim.NewCoveragePoint("etcd: unsynced watcher becomes a victim")
	coverSyncMore               = sim.NewCoveragePoint("etcd: more history than one batch")
	coverSyncAgain              = sim.NewCoveragePoint("etcd: next sync at once, more work pending")
	coverNegativeFromKept       = sim.NewCoveragePoint("etcd: watch from a negative revision sent history that was kept")
	coverBehindEvents           = sim.NewCoveragePoint("etcd: revision read before a write is visible whose events are in a watch channel")
	coverFutureLowered          = sim.NewCoveragePoint("etcd: sync moves a watch back from its future revision")
	coverVictimSent             = sim.NewCoveragePoint("etcd: victim sent to")
	coverVictimStays            = sim.NewCoveragePoint("etcd: victim's channel still full")
	coverVictimUnsynced         = sim.NewCoveragePoint("etcd: victim becomes unsynced")
	coverVictimSynced           = sim.NewCoveragePoint("etcd: victim becomes synced")

	// Compactions.
	coverCompacted             = sim.NewCoveragePoint("etcd: watcher cancelled for compaction")
	coverCompactedFull         = sim.NewCoveragePoint("etcd: compacted while the channel is full")
	coverCompactedSkipped      = sim.NewCoveragePoint("etcd: compacted watcher skipped until the channel has room")
	coverCompactedFallsThrough = sim.NewCoveragePoint("etcd: compacted watcher falls through to synced")
	coverCompactedSubset       = sim.NewCoveragePoint("etcd: watcher cancelled for compaction from a subset stays unsynced")
	coverRecreatedLost         = sim.NewCoveragePoint("etcd: compaction removes the value of a key that its revision deletes and puts again")
	coverCompactionPauses      = sim.NewCoveragePoint("etcd: compaction pauses between batches")
	coverCompactionResumed     = sim.NewCoveragePoint("etcd: compaction resumed after a restart")
	coverRevisionBack          = sim.NewCoveragePoint("etcd: revision goes back")
	coverRestore               = sim.NewCoveragePoint("etcd: snapshot installed")

	// Progress.
	coverProgressUnsynced   = sim.NewCoveragePoint("etcd: progress requested while unsynced")
	coverProgressVictim     = sim.NewCoveragePoint("etcd: progress requested with a victim")
	coverProgressCompacted  = sim.NewCoveragePoint("etcd: progress requested with a watcher that compaction cancelled")
	coverProgressBelowStart = sim.NewCoveragePoint("etcd: progress requested below a start revision")
	coverProgressNoWatchers = sim.NewCoveragePoint("etcd: progress requested without watchers")
	coverProgressFull       = sim.NewCoveragePoint("etcd: progress lost, channel full")
)
