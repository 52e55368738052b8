package scenarios

import (
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The order in which the catalogue is listed: from the scenarios that most people
// begin with to those about one feature. A scenario that is not named here comes
// behind them.
func init() {
	testbed.ArrangeScenarios(
		subject("Consistent reads, and everything around one cache",
			Issue15220, Issue15220CatchingUp, Issue17507, Recovery, Partitions, ConsistentList, EveryRead, Outages,
			Backpressure, WatchGuarantees, Rewatch, SeveralCaches, SharedStream, LaggingMember, FollowerReads,
			MemberPartition, PagedLists, KeptPages, BoundedPages, UnfinishedPages, FutureReads,
		),
		subject("Reads that may be stale",
			StaleList, StaleOwnWrite, TimeTravel,
		),
		subject("What known bugs of caches show in",
			ResumedWatch, ObjectsAtOnce, FollowedAtOnce, WatchDuringRelist, RelistOfSmallHistory, ShrinkingHistory, QuietGet, AwaitedChange,
			AnyWithoutProgress, Namespaces, RecreatedCache, BusyNeighbour, Delegated, AnyRequests, Refusals, SlowStart,
			WatchesAtRest, SlowWatches, RequestsAtRest,
		),
		subject("Watches of clients that do not keep up (KEP-6268)",
			StalledWatches, StalledWatchesEnd, StalledRelist, StalledNeighbours,
		),
		subject("What known bugs of etcd show in",
			NegativeWatch, KeptHistory, FutureWatch, CompactedWatch, LateWatches, SecondWatch, PreviousValues, NotifiedWatches,
			QuietWatch, QuietAgain, LaggingWatches, CrashInCompaction, ResumedCompaction, AnyEtcdRequests, RequestSizes,
			TransactionSizes, LaggingReads, LaggingStreams, TwoStepWrites, AnyWithoutLeader, StalledDisk, StalledMember, LeaderlessAtRest,
			RestoredBackup, NestedTransactions, Leases, LeasesWithoutLeader, LeaseTimes, Locks, PhysicalCompactions, RewrittenKeys,
			CompactionInRange,
		),
		subject("Snapshots and compaction (KEP-4988)",
			SnapshotReads, CompactedHistory, CompetingCompactors, LoneCompactor, LostEvent, LostEventRecovers,
			LostDeletion, LostVersion, LostValue, LostSnapshot, FailedChecks, Detectors, ConsistencyChecks,
			CheckAmidEvent,
		),
		subject("Initial events (KEP-3157)",
			WatchListStreams, WatchListStart, WatchListSlow, WatchListFull, WatchListHeldUp, WatchListEnds,
			WatchListSixSeconds, WatchListBehind, WatchListWithoutProgress, WatchListEstablished, WatchListEmptied,
		),
		subject("Reads of etcd in chunks (KEP-5966)",
			RangeStreamStart, RangeStreamLists, RangeStreamAgain, AnyRangeStreams,
		),
		subject("etcd's own cache library (etcd-io/etcd#19371)",
			LibraryReads, LibraryElsewhere, LibraryWatches, LibraryCompaction,
		),
		subject("Writes through API servers",
			GuaranteedUpdates, ObjectWrites, CachedWrites, RecreatedObjects, QuietWrites, WriteStorm,
		),
		subject("Events that take time to decode (KEP-6178)",
			ConcurrentDecoding, NeverInitialises,
		),
		subject("Cost of consistent LISTs",
			CostQuiet, CostElsewhere, CostPrefix, CostBusy, informers.CostStorm, CostPages,
		),
		subject("The version check, and overload",
			GuardOldEtcd, GuardMixed, GuardUnasked, GuardDowngrade, GuardQuietRange, GuardUnknownRequests,
			GuardLockedGate, GuardInsists, GuardUpgrade, GuardSlowMember, NotifyAndGate, GuardCascade,
			GuardCascadeLimited, SeatQueues, SeatsOfAnyRequests, SeatWaits, SeatsFallback, DefragmentedMember,
		),
		subject("Informers (KEP-3157)",
			informers.ColdStart, informers.Resume, informers.Expired, informers.Moves, informers.TimeTravel,
			informers.MostRecent, informers.Fallback, informers.RelistLoop, informers.Detector, informers.Refusals,
			informers.Overload, informers.Outages, informers.QuietResource, informers.Memory, informers.SlowLists,
			informers.SlowStreams, informers.NeverSyncs, informers.MemoryFeedback, informers.MemoryFallback,
			informers.MemorySuffices, informers.MemoryOfStreams, informers.MemorySeats,
		),
		subject("API servers that are changed while they serve",
			Rollout, RolloutGate, RolloutSnapshots, RolloutPages, RolloutCompactors, informers.VersionSkew,
		),
		subject("Errors of etcd",
			EtcdErrors, AnyEtcdErrors, UnevenAttempts, NoLeader, ErrorsAtRest, DelegatedExpired,
			RefusedWatches,
		),
		subject("What informers tell handlers and controllers, and what they list while API servers begin or list anew",
			informers.LateDetector, informers.Controller, informers.OverloadedController, informers.Handlers, informers.HandlersStart,
			informers.HandlersRelist, informers.ExpiredPages, informers.DuringRelist, informers.HandlersResync,
		),
	)
}

func subject(heading string, all ...*testbed.Scenario) testbed.Subject {
	return testbed.Subject{Heading: heading, Scenarios: all}
}
