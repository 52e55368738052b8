package store

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	versionLowered = sim.NewNote2[int64, int64]("store.versionLowered", "its resourceVersion goes back from %d to %d")
	otherVersion   = sim.NewNote2[int64, int64]("store.otherVersion", "gives the deletion of revision %r the resourceVersion that the object had before, %d")
	listed         = sim.NewNote2[sim.Counted, int64]("store.listed", "has listed %s at resourceVersion %d")
	// evicted, snapshotsGone: what the history, and the snapshots with it, lose to make room.
	evicted       = sim.NewNote2[sim.Counted, int64]("store.evicted", "its history is full with %s, and loses that of revision %r", sim.IsAside)
	snapshotsGone = sim.NewNote1[int64]("store.snapshotsGone", "drops its snapshots of what was before resourceVersion %d")
	staysIndexed  = sim.NewNote3[int64, string, string]("store.staysIndexed", "%[1]Rits index of %[2]s still has the former object under %[3]q")
	// notKept: no snapshot is left of the state after a change.
	notKept = sim.NewNote1[int64]("store.notKept", "keeps no snapshot of resourceVersion %r", sim.IsSetback)
	// dropped: the snapshots are gone, though nothing was wrong with them.
	dropped  = sim.NewNote("store.dropped", "drops %s: cache and etcd are equal")
	outlives = sim.NewNote1[int64]("store.outlives", "leaves its snapshot of resourceVersion %d after the failed check has dropped the others")
	again    = sim.NewNote0("store.again", "switches snapshots on: cache and etcd are equal")
)

var (
	resourceVersionLowered = sim.NewCoveragePoint("cache: resourceVersion goes back in time")
	deletedUnknown         = sim.NewCoveragePoint("cache: deletion of an object that it does not have")
	historyEvicted         = sim.NewCoveragePoint("cache: event evicted from the history")
	historyGrown           = sim.NewCoveragePoint("cache: history doubled")
	historyShrunk          = sim.NewCoveragePoint("cache: history halved")
	historyCompacted       = sim.NewCoveragePoint("cache: event dropped because etcd was compacted")
	historyLate            = sim.NewCoveragePoint("cache: event from before a compaction that the cache has heard of")

	snapshotTaken        = sim.NewCoveragePoint("cache: snapshot taken")
	snapshotEvicted      = sim.NewCoveragePoint("cache: snapshot evicted with its event")
	snapshotCompacted    = sim.NewCoveragePoint("cache: snapshot dropped because etcd was compacted")
	compactedWithoutLoss = sim.NewCoveragePoint("cache: compaction of what no snapshot was left of")
	snapshotLate         = sim.NewCoveragePoint("cache: state from before a compaction that the cache has heard of")
	snapshotsSuspended   = sim.NewCoveragePoint("cache: snapshots switched off by a failed consistency check")
	snapshotOutlives     = sim.NewCoveragePoint("cache: snapshot of an event that was on its way when snapshots were switched off")
	snapshotsDropped     = sim.NewCoveragePoint("cache: snapshots dropped by a consistency check that passed")
	snapshotsAgain       = sim.NewCoveragePoint("cache: snapshots switched on again by a consistency check")
)

// What the history of events holds is looked at when the cache hears of a compaction, after
// it has dropped what it drops.
var (
	historyEvents = metric.New("cache_history_events", metric.Counted,
		"how many events the cache remembers, each time that it hears of a compaction of etcd")
	historyBytes = metric.New("cache_history_bytes", metric.Bytes,
		"the keys and values of these events")
)

// How much memory a snapshot does not share depends on the B-tree, which has no
// counter for it: TestSnapshotMemory measures it.
var snapshotsKept = metric.New("cache_snapshots", metric.Counted,
	"how many past states the cache has, each time that it keeps one more")
