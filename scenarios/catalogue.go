package scenarios

import (
	"github.com/watchbed/watchbed/scenarios/cluster"
	"github.com/watchbed/watchbed/scenarios/divergences"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/scenarios/seats"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/testbed"
)

// The order in which the catalogue is listed: from the scenarios that most people
// begin with to those about one feature. A scenario that is not named here comes
// behind them.
func init() {
	testbed.ArrangeScenarios(
		// Consistent reads, and everything around one cache.
		Issue15220, Issue15220CatchingUp, Issue17507, Recovery, Partitions, ConsistentList, EveryRead, Outages, Backpressure, WatchGuarantees,
		Rewatch, SeveralCaches, SharedStream, LaggingMember, FollowerReads, MemberPartition, PagedLists, KeptPages, BoundedPages, UnfinishedPages, FutureReads,
		// Reads that may be stale.
		StaleList, StaleOwnWrite, TimeTravel,
		// What known bugs of caches show in.
		ResumedWatch, WatchDuringRelist, RelistOfSmallHistory, ShrinkingHistory, QuietGet, AwaitedChange, AnyWithoutProgress, Namespaces, RecreatedCache, BusyNeighbour, Delegated, AnyRequests, Refusals, SlowStart, WatchesAtRest, SlowWatches, RequestsAtRest,
		// Watches of clients that do not keep up (KEP-6268).
		stalled.Watches, stalled.Ended, stalled.Relisted, stalled.Neighbours,
		// What known bugs of etcd show in.
		NegativeWatch, etcdrequests.KeptHistory, FutureWatch, CompactedWatch, SecondWatch, PreviousValues, NotifiedWatches, QuietWatch, QuietAgain, LaggingWatches, CrashInCompaction, ResumedCompaction, AnyEtcdRequests,
		etcdrequests.RequestSizes, etcdrequests.TransactionSizes, etcdrequests.LaggingReads, etcdrequests.LaggingStreams, etcdrequests.TwoStepWrites, etcdrequests.AnyWithoutLeader, etcdrequests.LeaderlessAtRest, etcdrequests.NestedTransactions, etcdrequests.Leases, etcdrequests.LeasesWithoutLeader, etcdrequests.LeaseTimes, etcdrequests.PhysicalCompactions, etcdrequests.RewrittenKeys, etcdrequests.CompactionInRange,
		// Snapshots and compaction (KEP-4988).
		SnapshotReads, CompactedHistory, CompetingCompactors, LoneCompactor, divergences.LostEvent, divergences.LostEventRecovers, divergences.LostDeletion, divergences.LostVersion, divergences.LostValue, divergences.LostSnapshot,
		divergences.FailedChecks, divergences.Detectors, divergences.ConsistencyChecks, divergences.CheckAmidEvent,
		// Initial events (KEP-3157).
		WatchListStreams, WatchListStart, WatchListSlow, WatchListFull, WatchListHeldUp, WatchListEnds, WatchListSixSeconds, WatchListBehind, WatchListWithoutProgress, WatchListEstablished, WatchListEmptied,
		// Reads of etcd in chunks (KEP-5966).
		RangeStreamStart, RangeStreamLists,
		// Writes through API servers.
		writes.Updates, writes.Objects,
		// Events that take time to decode (KEP-6178).
		ConcurrentDecoding, NeverInitialises,
		// Cost of consistent LISTs.
		CostQuiet, CostElsewhere, CostPrefix, CostBusy, informers.CostStorm, CostPages,
		// The version check, and overload.
		cluster.OldEtcd, cluster.Mixed, cluster.Unasked, cluster.Downgrade, GuardQuietRange, cluster.UnknownRequests, cluster.LockedGate, cluster.Insists, cluster.Upgrade, cluster.SlowMember, cluster.NotifyAndGate, cluster.Cascade, cluster.CascadeLimited,
		seats.Queues, seats.AnyRequests, seats.Waits, seats.Fallback, seats.Defragmented,
		// Informers (KEP-3157).
		informers.ColdStart, informers.Resume, informers.Expired, informers.Moves, informers.TimeTravel, informers.MostRecent, informers.Fallback,
		informers.RelistLoop, informers.Detector, informers.Refusals, informers.Overload, informers.Outages, informers.QuietResource, informers.Memory, informers.SlowLists, informers.SlowStreams, informers.NeverSyncs, informers.MemoryFeedback, informers.MemoryFallback, informers.MemorySuffices, informers.MemoryOfStreams,
		// API servers that are changed while they serve.
		cluster.Rollout, cluster.RolloutGate, cluster.RolloutSnapshots, cluster.RolloutPages, cluster.RolloutCompactors, informers.VersionSkew,
		// Errors of etcd.
		EtcdErrors, AnyEtcdErrors, etcdrequests.UnevenAttempts, NoLeader, ErrorsAtRest,
		// What informers tell handlers and controllers, and what they list while API servers begin or list anew.
		informers.LateDetector, informers.Controller, informers.Handlers, informers.HandlersStart, informers.HandlersRelist,
		informers.ExpiredPages, informers.DuringRelist, informers.HandlersResync,
	)
}
