package store

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	resourceVersionLowered = sim.NewSituation("cache: resourceVersion goes back in time")
	deletedUnknown         = sim.NewSituation("cache: deletion of an object that it does not have")
	historyEvicted         = sim.NewSituation("cache: event evicted from the history")
	historyGrown           = sim.NewSituation("cache: history doubled")
	historyShrunk          = sim.NewSituation("cache: history halved")
	historyCompacted       = sim.NewSituation("cache: event dropped because etcd was compacted")
	historyLate            = sim.NewSituation("cache: event from before a compaction that the cache has heard of")

	snapshotTaken        = sim.NewSituation("cache: snapshot taken")
	snapshotEvicted      = sim.NewSituation("cache: snapshot evicted with its event")
	snapshotCompacted    = sim.NewSituation("cache: snapshot dropped because etcd was compacted")
	compactedWithoutLoss = sim.NewSituation("cache: compaction of what no snapshot was left of")
	snapshotLate         = sim.NewSituation("cache: state from before a compaction that the cache has heard of")
	snapshotsSuspended   = sim.NewSituation("cache: snapshots switched off by a failed consistency check")
	snapshotOutlives     = sim.NewSituation("cache: snapshot of an event that was on its way when snapshots were switched off")
	snapshotsDropped     = sim.NewSituation("cache: snapshots dropped by a consistency check that passed")
	snapshotsAgain       = sim.NewSituation("cache: snapshots switched on again by a consistency check")
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
