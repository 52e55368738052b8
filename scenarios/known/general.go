package known

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/testbed"
)

// The version check matters to every scenario whose design has one. Missed events matter
// to every scenario whose design keeps snapshots.
func init() {
	Register(slices.Concat(
		When(StartsBeforeCheck).RarelyViolates(reads.AnswersInTime, watches.InitialEventsEnd).
			Because("until etcd has said its version the cache requests no progress and refuses watches with initial events"),
		When(FindsEtcdTooOld, SameEtcd, testbed.Unless(ServesStale)).RarelyViolates(reads.AnswersInTime, watches.InitialEventsEnd, informers.CatchUp).
			Because("a cache that does not trust etcd requests no progress and refuses watches with initial events"),
		When(DefersProgress, HearsOfProgress, RequestsProgress, TrustsEtcd).RarelyViolates(informers.CatchUp, testbed.ComingToRest).
			Because("progress never comes on a quiet range (etcd-io/etcd#17507)"),
		When(InformersQueueByObject).RarelyViolates(informers.MatchEtcd, informers.Monotonic, informers.HandlerSynced).
			Because("objects get into the store out of their order, and its resourceVersion, that of the last one, says nothing of the others"),
		When(IgnoresProgress).RarelyViolates(testbed.ComingToRest).
			Because("the cache of a quiet range never reaches etcd's revision, and an informer asks for its initial events again and again"),
		When(GateIsOff, AnswersLists, ReadsNameVersion).RarelyViolates(reads.AnswersInTime).
			Because("no progress is requested for a read that names a resourceVersion, and the next event or notification of a quiet resource comes too late"),
		When(ProgressOvertakesEvents, HearsOfProgress, KeepsSnapshots).RarelyViolates(caches.ServedAsPromised).
			Because("a cache that took early progress for all events has no snapshot of those that it lacks (etcd-io/etcd#15220)"),
		When(ProgressOvertakesEvents, HearsOfProgress).RarelyViolates(caches.JustifiedRefusals).
			Because("events that early progress has overtaken take the cache back in time, and it is behind again (etcd-io/etcd#15220)"),
		When(ProgressOvertakesEvents, HearsOfProgress).RarelyViolates(reads.NotFound).
			Because("an object is missing in a cache that took early progress for all events (etcd-io/etcd#15220)"),
		When(KeepsSnapshots, PassedCheckDropsSnapshots).RarelyViolates(caches.ServedAsPromised).
			Because("a consistency check that passes drops all snapshots, and etcd answers what they were kept for (findings/pages/passed-check-drops-snapshots.md)"),
		When(CompactionRemovesDeletion, EtcdCompacts, KeepsSnapshots).RarelyViolates(caches.ServedAsPromised).
			Because("a cache has no snapshot of a deletion that its watch has missed (etcd-io/etcd#18089)"),
		When(KeepsSnapshots, ContinuesWithoutLimit, ClientsDrawLists).RarelyViolates(caches.PageSizes).
			Because("a page that a snapshot answers has everything behind its token if it names resourceVersion \"0\" (findings/pages/continued-list-without-limit.md)"),
		When(StreamsPages, MistakesPageEnd, ClientsListPages).RarelyViolates(caches.PageSizes, reads.Linearizable, reads.LinearizableData, reads.LinearizableAnswers, reads.Exact, reads.Pages).
			Because("a page that has all objects says that more follow it, if its stream breaks behind them (findings/pages/page-ends-by-error.md)"),
		When(StreamsPages, EtcdCompacts).RarelyViolates(caches.JustifiedRefusals).
			Because("a LIST of the newest state is refused as too old, if its revision is compacted before etcd has read or counted the last of it (KEP-5966)"),
		When(ForgetsCompactedWatch).RarelyViolates(etcdapi.WatchAnswers).
			Because("events of a compacted watch never come, and it is not canceled (etcd-io/etcd#17529)"),
		Restored(caches.MatchEtcd, caches.CatchUp, informers.MatchEtcd, informers.HandlerSynced, informers.HandlerOrder, informers.OwnWrites),
		When(CompactionLosesKey, RewritesKeys).RarelyViolates(
			etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.LinearizableAnswers, reads.Exact,
			watches.Reliable, watches.Resumable, watches.Atomic, watches.KeepUp, watches.PrevKV, watches.InitialEvents,
		).Because("a compaction loses a key that its revision deletes and puts again, and a read of the key ends the process (etcd-io/etcd#22376)"),
		Rarely(EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.LinearizableAnswers, reads.Sequential, reads.NotOlderThan)),
		EarlyVersions(caches.MatchEtcd, caches.CatchUp),
	)...)
}

// followWatches are properties of watches and of what follows one, readContents of LISTs that what follows one may
// answer.
var (
	followWatches = []*testbed.Property{
		watches.EventTypes, watches.KeepUp, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.InitialEvents,
		caches.MatchEtcd, caches.CatchUp, informers.MatchEtcd, informers.CatchUp, informers.HandlersRest,
	}
	readContents = []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.LinearizableAnswers, reads.Sequential, reads.NotOlderThan, reads.Exact, reads.Pages,
	}
)

// What becomes of watches, whatever the scenario.
func init() {
	Register(slices.Concat(
		When(InjectsEvents).RarelyViolates(watches.InitialEvents).
			Because("an initial event may follow a newer one of the same object (KEP-3157)"),
		When(FindsEtcdTooOld, SameEtcd, InformersTakeAny).RarelyViolates(testbed.ComingToRest).
			Because("an informer whose streams are refused, and that once listed in pages, asks for exactly the state that it has (kubernetes/kubernetes#133810)"),
		When(InjectsEvents).RarelyViolates(informers.MatchEtcd, informers.CatchUp, informers.HandlerSynced, informers.HandlersRest, informers.OwnWrites, informers.ShardsAreWhole).
			Because("an informer holds what it was sent last, which may be older (KEP-3157)"),
		Rarely(Where(EarlyInitialEvents(informers.MatchEtcd), ClientsStreamLists)),
		When(KeepsKeysOfEvents).RarelyViolates(informers.MatchEtcd, informers.Monotonic, informers.HandlerOrder, informers.HandlerSynced, informers.OwnWrites).
			Because("an object is sent that is newer than its event (KEP-3157, step 2b, option 5)"),
		When(CancelsCompactedAgain).RarelyViolates(etcdapi.WatchAnswers, testbed.ComingToRest).
			Because("etcd cancels a watch whose history is compacted in each round that takes it on (etcd-io/etcd#22294)"),
		When(EchoProves, NoProgressBelowStart, WaitsUntilFresh).RarelyViolates(testbed.ComingToRest).
			Because("no echo comes for a watch that starts behind the store's revision, and an informer lists again and again (the fix of etcd-io/etcd#20221)"),
		When(StoresOptionsLate).RarelyViolates(watches.PrevKV).
			Because("etcd sends events before it has stored that the watch wants previous values"),
		When(KeepsKeysOfEvents).RarelyViolates(watches.InitialEvents, watches.EventTypes, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp).
			Because("an object is sent that is newer than its event, and once more with its own event (KEP-3157, step 2b, option 5)"),
		ResumedWatches(watches.EventTypes, watches.KeepUp),
		Compactions(followWatches...),
		Where(Compactions(readContents...), testbed.Unless(BypassesCache)),
		InterruptedCompactions(slices.Concat(followWatches, readContents)...),
		Restored(watches.Ordered, watches.Unique, watches.EventTypes),
		Where(Restored(watches.Resumable), ClientsWatchCaches),
	)...)
}
