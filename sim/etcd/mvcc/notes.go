package mvcc

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the store notes while a run is observed.
var (
	// A watch from the compacted revision on should still be sent the deletion.
	tombstoneRemoved = sim.NewNote2[int64, string]("mvcc.tombstoneRemoved", "the compaction at revision %r removes the deletion of %k that is revision %[1]d")
	valueRemoved     = sim.NewNote2[int64, string]("mvcc.valueRemoved", "the compaction at revision %r takes the deletion of %k for the last change of that revision"+
		", and removes the value that the same revision gives it", sim.IsSetback)
	pairMissing = sim.NewNote2[int64, string]("mvcc.pairMissing", "does not find the value of revision %r of %k, which its index has, and exits: range failed to find revision pair", sim.IsSetback)

	restored           = sim.NewNote1[int64]("mvcc.restored", "restores its store at revision %r")
	restoredEarlier    = sim.NewNote2[int64, int64]("mvcc.restored", "restores its store at revision %r, although it had reached %d")
	tombstoneForgotten = sim.NewNote2[int64, string]("mvcc.tombstoneForgotten", "leaves %[2]k, deleted at revision %[1]r, out of its key index, since nothing older of it is left")
	lostSync           = sim.NewNote2[StreamName, int64]("mvcc.lostSync", "the watcher of %s is unsynced again, and is to be sent what happened from revision %r on")

	registered         = sim.NewNote3[StreamName, int64, string]("mvcc.registered", "registers a watch of %s from revision %r%K", sim.IsMeasured)
	registeredUnsynced = sim.NewNote3[StreamName, int64, string]("mvcc.registeredUnsynced", "registers a watch of %s from revision %r%K: unsynced, it has history to catch up on", sim.IsMeasured)
	registeredAhead    = sim.NewNote4[StreamName, int64, string, int64]("mvcc.registeredAhead", "registers a watch of %s from revision %r%K, and is at %d itself: the watcher counts as synced", sim.IsMeasured)

	startLowered      = sim.NewNote3[StreamName, int64, int64]("mvcc.startLowered", "syncWatchers moves the watcher of %s back from revision %d to %r")
	negativeRange     = sim.NewNote1[int64]("mvcc.negativeRange", ofNegative)
	negativeRangeKept = sim.NewNote2[int64, int64]("mvcc.negativeRange", ofNegative+": it finds what its last turn has kept, from revision %d on, and nothing before that")

	becameVictim         = sim.NewNote2[StreamName, Revisions]("mvcc.becameVictim", "the watch channel of %s is full: its watcher becomes a victim, with %s")
	becameSynced         = sim.NewNote1[streamWatch]("mvcc.becameSynced", "syncWatchers: the watcher of %s is synced now")
	becameSyncedSilently = sim.NewNote1[streamWatch]("mvcc.becameSynced", "syncWatchers finds no event for the watcher of %s: it is synced now")
	becameSyncedDeferred = sim.NewNote1[streamWatch]("mvcc.becameSynced", "syncWatchers finds no event for the watcher of %s"+
		": it is synced now, but nothing goes into the watch channel, so nothing wakes the deferred progress request", sim.IsSetback)
	// A victim was sent what waited for it.
	victimSynced       = sim.NewNote1[streamWatch]("mvcc.victimPlaced", "syncVictimsLoop: the watcher of %s is synced now")
	victimUnsynced     = sim.NewNote2[streamWatch, int64]("mvcc.victimPlaced", "syncVictimsLoop: the watcher of %s is unsynced now, and is to be sent what happened from revision %d on")
	cancelInFlight     = sim.NewNote1[streamWatch]("mvcc.cancelInFlight", "cannot cancel the watcher of %s yet, since syncVictimsLoop has it in hand", sim.IsSetback)
	leftOut            = sim.NewNote3[int64, streamWatch, group]("mvcc.leftOut", "the event of revision %r does not go to the watcher of %s now, which is %s", sim.IsAside)
	cancelledCompacted = sim.NewNote1[StreamName]("mvcc.cancelledCompacted", "syncWatchers cancels a watcher of %s below the compacted revision")
	cancelledInCopy    = sim.NewNote1[StreamName]("mvcc.cancelledCompacted", "syncWatchers cancels a watcher of %s below the compacted revision"+
		", and takes it out of a copy of the unsynced ones only: it stays unsynced")
	fellThrough = sim.NewNote3[StreamName, int64, int64]("mvcc.fellThrough", "syncWatchers cannot cancel a watcher of %s"+
		" whose history is compacted, since the channel is full, and moves it from revision %r on to %d")

	posted         = sim.NewNote2[Revisions, StreamName]("mvcc.posted", "%s goes into the watch channel of %s", sim.IsMeasured)
	postedFor      = sim.NewNote3[Revisions, StreamName, int64]("mvcc.posted", "%s goes into the watch channel of %s, for watch %d", sim.IsMeasured)
	postedProgress = sim.NewNote2[int64, StreamName]("mvcc.posted", "progress %r goes into the watch channel of %s")
	victimsLeft    = sim.NewNote1[int64]("mvcc.victimsLeft", "leaves the event of revision %r of a watcher whose channel is full until another one finds its channel full", sim.IsSetback)
)

const ofNegative = "syncWatchers looks for the history of all watchers from the oldest revision that one of them wants, %d" +
	", which as an unsigned number lies behind all others"

func (n StreamName) About() sim.About { return sim.About{Client: n.Client} }

// streamWatch is a watch of a stream, whose first one needs no number.
type streamWatch struct {
	StreamName
	id int64
}

func (n streamWatch) String() string {
	if n.id == 0 {
		return n.StreamName.String()
	}
	return "watch " + strconv.FormatInt(n.id, 10) + " of " + n.StreamName.String()
}

// String is what notes call a group that is not synced.
func (g group) String() string {
	switch g {
	case unsynced:
		return "unsynced"
	case victim:
		return "a victim"
	}
	return "in the hands of syncVictimsLoop"
}

// Revisions are those of the first and the last of some events.
type Revisions struct {
	First, Last int64
}

// RevisionsOf are those of events in their order, zero if there are none.
func RevisionsOf(evs []wire.Event) Revisions {
	if len(evs) == 0 {
		return Revisions{}
	}
	return Revisions{evs[0].Kv.ModRevision, evs[len(evs)-1].Kv.ModRevision}
}

// String is what notes call the events.
func (r Revisions) String() string {
	if r.First == r.Last {
		return "the event of revision " + strconv.FormatInt(r.First, 10)
	}
	return "the history from revision " + strconv.FormatInt(r.First, 10) + " to " + strconv.FormatInt(r.Last, 10)
}

// About implements sim.Subject: the last one of them.
func (r Revisions) About() sim.About { return sim.About{Revision: r.Last} }

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
