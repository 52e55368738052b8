package known

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/release"
	"github.com/watchbed/watchbed/testbed"
)

func ofCache(text string, holds func(o *cache.Options) bool) testbed.Condition {
	return testbed.NewCondition(text, func(s *testbed.Setup) bool { return holds(&s.Nodes.Cache) })
}

// What becomes of a LIST. The first three exclude each other.
var (
	BypassesCache = ofCache("etcd answers every LIST and GET",
		func(o *cache.Options) bool { return caches.Bypassed(&o.Reads) })
	ServesStale = ofCache("the cache answers a consistent LIST with what it has, however old",
		func(o *cache.Options) bool { return !caches.Bypassed(&o.Reads) && !caches.NeedsProgress(&o.Reads) })
	WaitsUntilFresh = ofCache("the cache answers a consistent LIST once it is as new as etcd",
		func(o *cache.Options) bool { return caches.NeedsProgress(&o.Reads) })
	AnswersLists = ofCache("the cache answers LISTs",
		func(o *cache.Options) bool { return !caches.Bypassed(&o.Reads) })
	FallsBack = ofCache("etcd answers a LIST for which the cache is not fresh in time (on-timeout=fallback)",
		func(o *cache.Options) bool { return o.Reads.OnTimeout == read.OnTimeoutFallback })
	FallsBackWhileSlow = ofCache("etcd answers while the cache is slow (dynamic-fallback=wait-time)",
		func(o *cache.Options) bool { return o.Reads.AvoidsSlowCache })
	AnswersFirstPage = ofCache("the cache answers the first page of a list (pagination=first-page)",
		func(o *cache.Options) bool { return o.Reads.Pagination == read.PaginateFirst })
)

// ShardsIgnored: the parameter of KEP-5866 does nothing.
var ShardsIgnored = ofCache("API servers do not know shards (shards=ignored)", func(o *cache.Options) bool { return o.Shards == request.ShardsIgnored })

// What the cache does about progress.
var (
	RequestsProgress = ofCache("the cache requests progress from etcd while a read waits",
		func(o *cache.Options) bool { return o.ProgressRequests != progress.Notify })
	RequestsOnce = ofCache("the cache requests progress once for each read (progress-requests=once)",
		func(o *cache.Options) bool { return o.ProgressRequests == progress.Once })
	AwaitsNotifications = ofCache("the cache requests no progress and relies on etcd's own notifications (progress-requests=notify)",
		func(o *cache.Options) bool { return o.ProgressRequests == progress.Notify })
	EchoProves = ofCache("the cache takes the echo of its progress request for the proof that it is fresh (progress-requests=echo)",
		func(o *cache.Options) bool { return o.ProgressRequests == progress.Echo })
	HearsOfProgress = testbed.NewCondition("etcd sends the cache progress",
		func(s *testbed.Setup) bool {
			return !SendsNoProgress.Holds(s) && (WaitsUntilFresh.Holds(s) || EtcdNotifies.Holds(s) || ServesStale.Holds(s) && ReadsNameVersion.Holds(s) ||
				WaitsForInitialEvents.Holds(s) && ClientsStreamLists.Holds(s))
		})
)

// OvertakenSilently is about watches that catch up.
var OvertakenSilently = ofCache("a watch that catches up does so as a new watch, which ends without an error if its history is lost (slow-watchers=reinitialised)",
	func(o *cache.Options) bool { return o.Watches.SlowWatchers == dispatch.Reinitialised })

// DispatcherWaits is about watches that do not keep up.
var DispatcherWaits = ofCache("the dispatcher waits for watches whose channels are full (slow-watchers=ended)",
	func(o *cache.Options) bool { return o.Watches.SlowWatchers == dispatch.SlowWatcher(0) })

// ServedInPasses is about watches that wait for the next pass.
var ServedInPasses = ofCache("the dispatcher serves watches that have missed events in passes (slow-watchers=groups)",
	func(o *cache.Options) bool { return o.Watches.SlowWatchers == dispatch.Groups })

// What the gate and the check of etcd's version come to.
var (
	GateIsOff = ofCache("the gate ConsistentListFromCache is off (consistent-list-from-cache=disabled)",
		func(o *cache.Options) bool { return o.Guard.ConsistentListFromCache == guard.GateDisabled })
	TrustsEtcd = testbed.NewCondition("the gate ConsistentListFromCache is on, and the version check of the cache passes etcd",
		func(s *testbed.Setup) bool { return trusts(s) })
	FindsEtcdTooOld = testbed.NewCondition("the version check of the cache finds etcd too old",
		func(s *testbed.Setup) bool { return !passes(s) })
	StartsBeforeCheck = ofCache("the API server starts before the version of etcd is known (version-check=shipped)",
		func(o *cache.Options) bool { return o.Guard.VersionCheck == guard.VersionCheckShipped })
	FollowsStreams = ofCache("the cache drops the progress of a stream until it knows the version of the member behind it (version-check=each-stream)",
		func(o *cache.Options) bool { return o.Guard.VersionCheck == guard.VersionCheckEachStream })
	ChecksAllMembers = ofCache("the API server starts once it knows the versions of all members of etcd",
		func(o *cache.Options) bool {
			return o.Guard.VersionCheck == guard.VersionCheckKEPBeta || o.Guard.VersionCheck == guard.VersionCheckKEPGA
		})
)

// trusts reports whether the cache relies on progress from the member that serves first.
func trusts(s *testbed.Setup) bool { return !GateIsOff.Holds(s) && passes(s) }

// passes is about the member that serves first.
func passes(s *testbed.Setup) bool {
	v, err := release.Parse(s.Params.Etcd)
	return err == nil && caches.PassesCheck(s.Nodes.Cache.Guard.VersionCheck, v)
}

// StatesFromCache is about where writes get their objects from.
var StatesFromCache = ofCache("a write gets its object from the cache (write-state=cache)",
	func(o *cache.Options) bool { return o.Writes.StatesFromCache })

// NotFoundUnversioned is about the errors of writes.
var NotFoundUnversioned = ofCache("the error of a write that finds no object has the resourceVersion 0 (not-found-rv=none)",
	func(o *cache.Options) bool { return o.Writes.NotFoundUnversioned })

// Snapshots and the comparison with etcd.
var (
	KeepsSnapshots = ofCache("the cache keeps snapshots (snapshots=on)",
		func(o *cache.Options) bool { return o.Store.Snapshotting == store.SnapshotsOn })
	KeepsLateSnapshots = ofCache("the cache keeps the snapshot of a state that etcd has compacted meanwhile (late-snapshot=kept; compacted-snapshot=kept-on of its list)",
		func(o *cache.Options) bool { return o.Store.KeepsLateSnapshots || o.Store.LastSnapshotStays })
	ContinuesWithoutLimit = ofCache("a LIST at resourceVersion \"0\" has no limit behind a continue token (continued-limit=ignored)",
		func(o *cache.Options) bool { return !o.Reads.LimitContinues })
	CompactsWatchHistory = ofCache("the cache drops events that etcd has compacted (watch-history=until-compacted)",
		func(o *cache.Options) bool { return o.Store.WatchHistory == store.WatchHistoryUntilCompacted })
	CheckerFallsBack = ofCache("a failed consistency check drops the snapshots (consistency-checker=fallback)",
		func(o *cache.Options) bool { return o.Checks.ConsistencyChecker == check.ConsistencyCheckerFallback })
	PassedCheckDropsSnapshots = ofCache("a consistency check that passes drops the snapshots (passed-check=drops-snapshots)",
		func(o *cache.Options) bool { return o.Checks.PassedCheckDrops })
	MarksWithoutLock = ofCache("a failed consistency check can drop the snapshots while an event is halfway into the cache (mark-consistent=unlocked)",
		func(o *cache.Options) bool { return o.Checks.UnlockedMark })
	CheckerEndsProcess = ofCache("a failed consistency check ends the process (consistency-checker=panic)",
		func(o *cache.Options) bool { return o.Checks.ConsistencyChecker == check.ConsistencyCheckerPanic })
)

// AsksForPrevious is about the cache's own watch.
var AsksForPrevious = ofCache("the cache asks etcd for the previous values of changes (watch-prev-kv=asked)",
	func(o *cache.Options) bool { return !o.Ingestion.WithoutPrevKV })

// How watches with initial events go.
var (
	EndsByTimer = ofCache("the bookmark timer finds the end of initial events, and no progress is requested for it (initial-events-end=timer)",
		func(o *cache.Options) bool { return o.Watches.EndByTimer })
	WaitsForInitialEvents = ofCache("a watch with initial events waits until the cache is fresh",
		func(o *cache.Options) bool { return !o.Watches.EndByTimer })
	InjectsEvents = ofCache("new events are put among initial ones that were not sent yet (initial-events-buffer=inject)",
		func(o *cache.Options) bool { return o.Watches.Buffer == dispatch.BufferInject })
	KeepsKeysOfEvents = ofCache("the object of an event is the one that the cache has when it is sent (initial-events-buffer=references)",
		func(o *cache.Options) bool { return o.Watches.Buffer == dispatch.BufferReferences })
	DetectsNotifications = ofCache("a watch with initial events is refused while no progress comes but what was asked for (watch-list-detection=unasked)",
		func(o *cache.Options) bool { return o.Watches.Detection == dispatch.DetectUnasked })
	StreamsFromEtcd = ofCache("the cache itself starts by a watch with initial events (reflector-list=watch-list)",
		func(o *cache.Options) bool { return o.Ingestion.WatchListClient })
)

// etcd's own cache library.
var (
	LeavesOutNextProgress = ofCache("progress up to the very revision that a watcher of etcd's cache library needs next is not sent (library-progress=later)",
		func(o *cache.Options) bool { return o.Library.LeavesOutNextProgress })
	EndsStoreWatcher = ofCache("etcd's cache library ends the watcher of its store with all others (library-store=ended)",
		func(o *cache.Options) bool { return o.Library.EndsStoreWatcher })
)

// How etcd3 reads lists.
var (
	StreamsPages = testbed.NewCondition("etcd3 reads pages without a selector as a stream (etcd-range-stream, client-kv)",
		func(s *testbed.Setup) bool {
			t := &s.Params.Topology
			design, err := cache.FindDesign(s.Params.Cache)
			stored := t.ClientKV || t.Balanced || err == nil && design.OwnNode()
			return stored && s.Nodes.Client.Watcher.StreamsRanges && s.Nodes.Etcd.Streams.Served
		})
	MistakesPageEnd = testbed.NewCondition("an error behind the chunk that fills a page is taken for one more chunk (page-end=more)",
		func(s *testbed.Setup) bool { return !s.Nodes.Client.Watcher.FailsAtPageEnd })
)
