package proofs_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/divergences"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/scenarios/seats"
	"github.com/watchbed/watchbed/scenarios/stalled"
	"github.com/watchbed/watchbed/scenarios/writes"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// bug is a known bug with bounds within which a search finds it. The scenario is that in which
// the bug needs least, which need not be the one that it is looked for in elsewhere.
type bug struct {
	name     string
	scenario *testbed.Scenario
	bounds
}

// one is the smallest workload with a write and a read.
const one = "writers=1 writes=1 readers=1 reads=1"

// What several bugs leave of a scenario.
const (
	noErrors = " leave=0 list-watchers=0 list-rounds=0 drawn-watchers=0 drawn-requests=0 resources=1 client-kv=false client-writes=false" +
		" timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 at-rest=true"
	oneTimeout = " client-kv=false txns=false deletes=false gets=0 watchers=0 keys=1 items=0 history=0 timeouts=1 overloads=0" +
		" leader-changes=0 at-rest=true"
	// drawnTwice are two requests of each of two clients, that a seed draws.
	drawnTwice = " streams=0 history=0 drawn-clients=2 drawn-requests=2 drawn-bytes=0 etcd-snapshots=0"
	// drawnBefore are requests of one client, one after the other, that a seed draws.
	drawnBefore = " streams=0 history=0 drawn-clients=1 drawn-requests=12 drawn-bytes=0 etcd-restarts=0 etcd-snapshots=0"
	// drawnWatch is a stream of watches beside two requests of one client, that a seed draws.
	drawnWatch = " streams=1 keys=1 items=1 history=0 drawn-clients=1 drawn-requests=2 drawn-bytes=0 etcd-snapshots=0"
	// twoDecodes are of two events, of which one may be progress.
	twoDecodes = openDecodes + " decode-failures=0"
	// openDecodes leave open how many of these fail.
	openDecodes = "cache=kep-2340 reflector-list=list writers=1 deletes=false noise=0 noise-writes=0 watchers=0 keys=2 items=2 breaks=0" +
		" etcd-restarts=0 at-rest=true"
	// oneStream is a cache that begins anew with a stream of two chunks, beside two writes.
	oneStream = "cache=kep-2340 reflector-list=watch-list client-buf=10 send-window=10 caches=1 writers=1 writes=2 readers=0 reads=0 items=2" +
		" compactions=0 restarts=1 etcd-restarts=0 at-rest=true"
	// oneStall is a watch that stalls once, in front of a cache that remembers two events.
	oneStall = "ring=2 writers=1 writes=4 deletes=false watchers=1 watch-reading=hiccup keys=1 items=1 at-rest=true"
	// updating is what clients write through one API server.
	updating = "cache=kep-2340 caches=1 readers=0 reads=0 gets=0 keys=1 breaks=0 restarts=0 call-breaks=0 client-kv=false at-rest=true update=every"
	// oneUpdater is one of them, which writes so many times as follows.
	oneUpdater = updating + " items=1 updaters=1 updates="
	oneRestart = "writes=1 deletes=false watchers=1 leave=0 keys=1 items=0 restarts=1 at-rest=true"
)

var bugs = []bug{
	{"bookmark-without-slot", scenarios.ConcurrentDecoding, bounds{twoDecodes + " writes=1 readers=1 reads=1", 1}},
	{"decode-as-ready", scenarios.ConcurrentDecoding, bounds{twoDecodes + " writes=2 readers=0 reads=0", 0}},
	{"decode-error-aside", scenarios.ConcurrentDecoding, bounds{openDecodes + " writes=2 readers=0 reads=0 decode-failures=1", 0}},
	{"chunks-unpinned", scenarios.RangeStreamStart, bounds{oneStream + " keys=2 deletes=false breaks=0", 0}},
	{"header-of-last-chunk", scenarios.RangeStreamStart, bounds{oneStream + " keys=2 deletes=false breaks=0", 0}},
	{"stream-late-fallback", scenarios.RangeStreamStart, bounds{oneStream + " keys=1 deletes=true breaks=1", 0}},
	{"issue-13514", scenarios.AnyEtcdRequests, bounds{"drawn-seed=10 keys=1 items=1 etcd-restarts=1 at-rest=true" + drawnTwice, 0}},
	{"issue-13766", scenarios.AnyEtcdRequests, bounds{"drawn-seed=60 lagging=true etcd-restarts=1" + drawnWatch, 0}},
	{"issue-15220", scenarios.Issue15220, bounds{"etcd=3.6.16 " + one, 1}},
	{"issue-15271", scenarios.FutureWatch, bounds{"writers=1 writes=4 deletes=false streams=1 keys=1 items=1 etcd-snapshots=1 at-rest=true", 1}},
	{"issue-17507", scenarios.QuietRange, bounds{"etcd=3.6.16", 0}},
	{"leaderless-kept", scenarios.LongWithoutLeader, bounds{set: "writers=0 writes=0 readers=0 reads=0 streams=1 keys=1 items=1 think=0s network=0s" +
		" scheduling=0s horizon=8s faults-for=7s"}},
	{"issue-17529", scenarios.AnyEtcdRequests, bounds{"drawn-seed=354 chan-buf=1 etcd-restarts=0" + drawnWatch, 1}},
	{"issue-17642", etcdrequests.LeasesWithoutLeader, bounds{"keys=1 items=1 leader-losses=1 drawn-clients=1 drawn-requests=12 drawn-seed=7", 0}},
	{"issue-20418", scenarios.FollowerReads, bounds{"mode=untimed think=0 network=0 scheduling=0 writers=1 writes=1 readers=1 reads=2 read-index-retries=1" +
		" keys=1 items=1", 1}},
	{"issue-18089", scenarios.ResumedCompaction, bounds{"mode=untimed think=0 writers=1 writes=4 compactions=1 compaction-batch=0 streams=1 keys=1" +
		" items=1 history=0 etcd-restarts=0", 1}},
	{"compaction-after-last", scenarios.CompactedWatch, bounds{"writers=0 writes=0 keys=1 compactions=1", 1}},
	{"issue-20221", scenarios.LaggingMember, bounds{"writers=1 writes=1 noise=0 noise-writes=0 readers=0 reads=0 keys=1 items=0 breaks=0 restarts=0" +
		" notify=10m", 1}},
	{"issue-20221-events", scenarios.FutureWatch, bounds{"writers=1 writes=3 streams=1 keys=1 items=1 etcd-snapshots=1 at-rest=true", 1}},
	{"issue-20693", scenarios.NegativeWatch, bounds{"writes=1", 1}},
	{"created-overtakes-progress", scenarios.SecondWatch, bounds{"writes=1", 1}},
	{"count-of-selection", scenarios.AnyEtcdRequests, bounds{"drawn-seed=278 keys=2 items=2 etcd-restarts=0" + drawnTwice, 0}},
	{"deletes-count-one", scenarios.AnyEtcdRequests, bounds{"drawn-seed=155 keys=2 items=2 etcd-restarts=0" + drawnTwice, 0}},
	{"fragment-for-each-event", scenarios.AnyEtcdRequests, bounds{"drawn-seed=14 fragment-bytes=150 streams=1 keys=3 items=3 history=0 drawn-clients=1" +
		" drawn-requests=1 drawn-bytes=0 etcd-restarts=0 etcd-snapshots=0 at-rest=true", 1}},
	{"new-value-as-previous", scenarios.AnyEtcdRequests, bounds{"drawn-seed=17 keys=2 items=2" + drawnBefore, 0}},
	{"requested-revision-in-header", scenarios.AnyEtcdRequests, bounds{"drawn-seed=24 keys=2 items=2" + drawnBefore, 0}},
	{"physical-after-first-batch", etcdrequests.PhysicalCompactions, bounds{"keys=2 items=2 history=4 drawn-clients=1 drawn-requests=8 drawn-seed=43", 12}},
	{"deleted-without-value", scenarios.ErrorsAtRest, bounds{"writers=1 writes=2 readers=0 reads=0 watchers=1 keys=1 items=0" + noErrors +
		" breaks=0 recreations=0 call-breaks=0", 0}},
	{"events-share-value", scenarios.WatchGuarantees, bounds{"writers=1 writes=3 streams=1 noise=0 noise-writes=0 compactions=0 history=0" +
		" etcd-restarts=0 etcd-snapshots=0 keys=2 items=2 deletes=false", 1}},
	{"options-after-watch", scenarios.PreviousValues, bounds{"writers=1 writes=1 compactions=0 txns=false wide=false keys=1 items=1", 1}},
	{"revision-by-first-key", scenarios.NegativeWatch, bounds{"resources=2 writers=1 writes=2 wide=true keys=2 items=1", 1}},
	{"previous-of-created", scenarios.PreviousValues, bounds{"writers=1 writes=1 compactions=0 keys=1 items=0", 0}},
	{"issue-12385", scenarios.AnyEtcdRequests, bounds{"streams=1 keys=1 items=1 history=0 drawn-clients=2 drawn-requests=1 drawn-bytes=0" +
		" drawn-seed=1 etcd-restarts=0 etcd-snapshots=0 at-rest=true", 0}},
	{"victims-left", scenarios.AnyEtcdRequests, bounds{"streams=1 keys=1 items=1 history=0 drawn-clients=2 drawn-requests=1 drawn-bytes=0" +
		" etcd-restarts=0 etcd-snapshots=0 at-rest=true", 0}},
	{"client-keeps-calls", scenarios.ErrorsAtRest, bounds{"writers=1 writes=1 readers=0 watchers=0 leave=0 keys=1 items=1 at-rest=true" +
		" drawn-watchers=0 drawn-requests=0 timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 breaks=0 recreations=0 call-breaks=1" +
		" resources=1 list-watchers=0", 1}},
	{"client-reopens-late", scenarios.Pauses, bounds{set: "caches=1 writers=0 writes=0 readers=0 reads=0 watchers=0 compactions=0 keys=1 items=1 history=0 think=0s" +
		" breaks=1 restarts=0 recreations=0 etcd-restarts=0 timeouts=0 leader-changes=0 stream-ends=0 faults-for=1s network=0s scheduling=0s horizon=3s"}},
	{"client-keeps-watches", scenarios.ErrorsAtRest, bounds{"writers=0 writes=0 deletes=false readers=0 reads=0 watchers=0 keys=1 items=0" + noErrors +
		" breaks=1 call-breaks=0", 1}},
	{"client-gives-up-reads", scenarios.AnyEtcdErrors, bounds{"caches=1 items=0 keys=1 history=0 restarts=0 timeouts=1 leader-changes=0 overloads=0" +
		" drawn-clients=1 drawn-requests=1 drawn-seed=1", 1}},
	{"client-resume-repeats", scenarios.WatchListStreams, bounds{"caches=1 writers=1 writes=1 txns=false deletes=false noise=0 noise-writes=0 watchers=1" +
		" keys=1 items=0 list-watchers=0 list-rounds=0 await-ready=true notify=10m progress-requests=once breaks=0 restarts=0 etcd-restarts=1" +
		" at-rest=true to-rest=true", 1}},
	{"client-refuses-writes", scenarios.EtcdErrors, bounds{one + oneTimeout, 0}},
	{"client-repeats-writes", scenarios.EtcdErrors, bounds{one + oneTimeout, 1}},
	{"progress-of-another-stream", scenarios.SeveralCaches, bounds{"caches=1 writers=1 writes=1 deletes=false noise=0 noise-writes=0 readers=1 reads=2" +
		" move=false watchers=0 keys=2 items=0 breaks=0 restarts=0 etcd-restarts=0 at-rest=true", 1}},
	{"watcher-missing-prevkv", scenarios.ConsistentList, bounds{"writers=1 writes=2 txns=false deletes=true noise=0 noise-writes=0 readers=0 reads=0" +
		" gets=0 watchers=0 keys=1 items=0 history=0 breaks=0 restarts=0 notify=10m", 1}},
	{"kubernetes-49956", scenarios.ResumedWatch, bounds{oneRestart, 1}},
	{"etcd-20488", scenarios.ResumedWatch, bounds{oneRestart, 1}},
	{"kubernetes-58545", scenarios.ResumedWatch, bounds{"writers=1 writes=2 watchers=1 leave=0 keys=1 items=1 restarts=0 at-rest=true", 0}},
	{"kubernetes-59848", scenarios.Issue15220, bounds{"etcd=3.6.16 " + one, 0}},
	{"kubernetes-78029", scenarios.RecreatedCache, bounds{"writers=1 writes=1 deletes=false keys=1 items=1 informers=1 recreations=1" +
		" informer-no-bookmarks=true progress-requests=once at-rest=true", 0}},
	{"kubernetes-100878", informers.Refusals, bounds{"caches=1 writers=0 writes=0 deletes=false noise=0 noise-writes=0 keys=1 items=1 informers=1" +
		" informer-page=0 restarts=0 informer-breaks=0 informer-refusals=1 at-rest=true to-rest=true", 1}},
	{"kubernetes-105409", seats.Queues, bounds{"writers=1 writes=1 deletes=false noise=0 noise-writes=0 readers=0 reads=0 gets=0 watchers=1 leave=0 keys=1" +
		" items=1 informers=0 breaks=0 restarts=0 informer-breaks=0 informer-restarts=0 at-rest=true seats=1 queues=1", 0}},
	{"kubernetes-111116", scenarios.NoLeader, bounds{"caches=1 client-kv=false client-writes=false writers=0 writes=0 deletes=false noise=0 noise-writes=0" +
		" readers=0 reads=0 watchers=0 leave=0 keys=1 items=1 history=0 breaks=0 leader-losses=1 stream-ends=0 at-rest=true to-rest=true", 1}},
	{"kubernetes-122805", informers.ColdStart, bounds{"at-rest=true caches=1 writers=0 writes=0 noise=1 noise-writes=1 deletes=false keys=1 items=1" +
		" informers=1 informer-page=0 restarts=0", 1}},
	{"informer-forgets-limit", informers.ExpiredPages, bounds{"caches=1 writers=1 writes=1 deletes=false noise=0 noise-writes=0 keys=1 items=2" +
		" informers=1 compactions=0 informer-breaks=0 informer-restarts=0 at-rest=true", 0}},
	{"established-early", scenarios.WatchListEstablished, bounds{"writers=1 writes=2 deletes=false breaks=0 present-watchers=1 present-watches=1 keys=1 items=1 at-rest=true", 0}},
	{"kubernetes-125584", scenarios.Namespaces, bounds{"at-rest=true " + one + " items=2 keys=2", 0}},
	{"kubernetes-126770", informers.ExpiredPages, bounds{"cache=direct caches=1 writers=0 writes=0 deletes=false noise=1 noise-writes=2 keys=1 items=2" +
		" informers=1 compactions=1 informer-breaks=0 informer-restarts=1 at-rest=true to-rest=true", 0}},
	{"informer-repeats-without-end", informers.Expired, bounds{"caches=1 writers=0 writes=0 deletes=false noise=0 noise-writes=0 keys=1 items=1" +
		" informers=1 compactions=0 informer-breaks=0 to-rest=true", 11}},
	{"kubernetes-136509", informers.HandlersStart, bounds{"writers=0 writes=0 deletes=false keys=1 items=1 informer-late-handlers=0" +
		" informer-removed-handlers=0 informer-stops=1 at-rest=true", 1}},
	{"kubernetes-137296", informers.HandlersStart, bounds{"writers=0 writes=0 deletes=false keys=1 items=1 informer-handlers=0 informer-resync=0s" +
		" informer-resyncs=0 informer-stops=1", 5}},
	{"kubernetes-135462", informers.HandlersRelist, bounds{"writers=1 writes=1 deletes=false keys=1 items=2 informer-late-handlers=0 informer-resync=0s" +
		" informer-resyncs=0 informer-breaks=0 informer-refusals=0 informer-list=watch-list at-rest=true", 1}},
	{"kubernetes-115620", informers.HandlersRelist, bounds{"writers=1 writes=3 deletes=true keys=1 items=0 informer-late-handlers=0 informer-resync=0s" +
		" informer-resyncs=0 informer-breaks=0 informer-refusals=1 at-rest=true", 1}},
	{"informer-batches-an-object-twice", informers.Handlers, bounds{"writers=1 writes=2 deletes=false keys=1 items=1 informer-handlers=1" +
		" informer-late-handlers=0 informer-resync=0s informer-resyncs=0 informer-breaks=0 informer-refusals=0 at-rest=true", 1}},
	{"informer-batch-loses-a-delta", informers.Handlers, bounds{"writers=1 writes=2 deletes=false keys=1 items=1 informer-handlers=1" +
		" informer-late-handlers=0 informer-resync=0s informer-resyncs=0 informer-breaks=0 informer-refusals=0 at-rest=true", 1}},
	{"informer-adds-handler-unlocked", informers.Handlers, bounds{"writers=1 writes=1 deletes=false keys=1 items=1 informer-handlers=0" +
		" informer-late-handlers=1 informer-resync=0s informer-resyncs=0 informer-breaks=0 informer-refusals=0 at-rest=true", 1}},
	{"informer-resync-resurrects", informers.Handlers, bounds{"writers=1 writes=1 deletes=false keys=1 items=1 informer-handlers=1" +
		" informer-late-handlers=0 informer-resyncs=1 informer-breaks=0 informer-refusals=0 at-rest=true", 1}},
	{"informer-drops-tombstones", informers.HandlersRelist, bounds{"writers=1 writes=2 deletes=true keys=1 items=1 informer-late-handlers=0 informer-resync=0s" +
		" informer-resyncs=0 informer-breaks=0 informer-refusals=1 at-rest=true progress-requests=once", 1}},
	{"kubernetes-86015", informers.HandlersRelist, bounds{"writers=1 writes=1 deletes=false keys=1 items=1 informer-late-handlers=0" +
		" informer-resyncs=1 informer-breaks=0 informer-refusals=1 at-rest=true", 1}},
	{"controller-acts-at-once", informers.Controller, bounds{"caches=1 writers=1 writes=1 deletes=false keys=1 items=1 informer-resyncs=0" +
		" informer-breaks=0 informer-restarts=0 restarts=0 at-rest=true", 1}},
	{"controller-records-what-it-read", informers.Controller, bounds{"caches=1 writers=1 writes=1 deletes=false keys=1 items=1 informer-resyncs=0" +
		" informer-breaks=0 informer-restarts=0 restarts=0 at-rest=true", 1}},
	{"informer-synced-too-early", informers.HandlersStart, bounds{"writers=0 writes=0 deletes=false keys=1 items=1 informer-late-handlers=0" +
		" informer-removed-handlers=0 informer-resync=0s informer-resyncs=0 informer-stops=1 at-rest=true", 1}},
	{"kubernetes-135580", informers.Refusals, bounds{"caches=1 writes=1 deletes=false noise=0 noise-writes=0 keys=1 items=1 informers=1 restarts=0" +
		" informer-breaks=0 informer-refusals=0 at-rest=true", 1}},
	{"check-pages-of-newest-state", divergences.ConsistencyChecks, bounds{"writers=1 writes=2 readers=0 reads=0 compactions=0 keys=2 items=2 lost-events=0" +
		" etcd-restarts=0 leader-changes=0 at-rest=true inconsistency-detector=off page=1 progress-requests=once", 1}},
	{"stale-as-overload", scenarios.Refusals, bounds{one + " read=consistent caches=1 deletes=false noise=0 noise-writes=0 gets=0 watchers=0 leave=0" +
		" list-watchers=0 list-rounds=0 compactions=0 breaks=0 restarts=0 keys=1 items=1 history=0 at-rest=true", 1}},
	{"initial-type-of-last-change", scenarios.ErrorsAtRest, bounds{"watch-delegation=none writers=1 writes=1 deletes=false readers=0 reads=0" +
		" watchers=0 keys=1 items=1 leave=0 list-watchers=1 list-rounds=1 list-rv=0 drawn-watchers=0 drawn-requests=0 resources=1 client-kv=false" +
		" client-writes=false timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 at-rest=true breaks=0 recreations=0 call-breaks=0", 0}},
	{"check-compares-names", divergences.ConsistencyChecks, bounds{"writers=1 writes=2 readers=0 reads=0 compactions=0 keys=2 items=2 lost-events=1" +
		" etcd-restarts=0 leader-changes=0 at-rest=true inconsistency-detector=off page=0 progress-requests=once", 1}},
	{"page-of-newest-state", scenarios.SnapshotReads, bounds{"caches=1 compactors=false writers=1 writes=2 deletes=false noise=0 noise-writes=0" +
		" readers=1 reads=2 keys=2 items=2 history=0 restarts=0 at-rest=true", 0}},
	{"stale-index", scenarios.SelectedLists, bounds{"groups=1 namespaces=0 writers=1 writes=1 txns=false deletes=false noise=0 noise-writes=0 watchers=0" +
		" leave=0 keys=1 items=1 compactions=0 readers=1 reads=1 read=selected drawn-readers=0 drawn-watchers=0 drawn-requests=0 breaks=0 restarts=0" +
		" at-rest=true", 0}},
	{"store-without-snapshot", scenarios.SnapshotReads, bounds{"page-limit=1 caches=1 compactors=false writers=1 writes=2 deletes=true noise=0" +
		" noise-writes=0 readers=1 reads=1 read=pages keys=2 items=3 history=0 restarts=0 at-rest=true", 0}},
	{"progress-lowers-version", scenarios.Outages, bounds{"client-kv=false writers=1 writes=2 deletes=false noise=0 noise-writes=0 readers=0 reads=0" +
		" gets=0 watchers=0 streams=0 keys=1 items=0 history=0 compactions=0 breaks=0 etcd-restarts=0 etcd-snapshots=0 at-rest=true", 1}},
	{"revision-of-last-watch", scenarios.WatchListStreams, bounds{"caches=1 writers=1 writes=1 deletes=false txns=false noise=0 noise-writes=0 keys=1 items=1" +
		" list-watchers=1 list-rounds=2 list-rv=unset breaks=0 restarts=0 at-rest=true", 0}},
	{"revision-of-last-reader", scenarios.Issue15220, bounds{"etcd=3.6.16 writers=1 writes=1 readers=2 reads=1", 0}},
	{"trigger-of-new-value", scenarios.SelectedLists, bounds{"cache=kep-2340 namespaces=0 writers=2 writes=1 txns=false deletes=false noise=0 noise-writes=0" +
		" watchers=1 leave=0 keys=1 items=0 compactions=0 drawn-readers=0 drawn-watchers=0 drawn-requests=0 breaks=0 restarts=0 at-rest=true", 1}},
	{"reinitialised-in-gap", stalled.Watches, bounds{oneStall, 0}},
	{"reinitialised-unchecked", stalled.Watches, bounds{oneStall, 0}},
	{"kubernetes-35415", writes.Objects, bounds{oneUpdater + "5", 0}},
	{"kubernetes-43152", writes.Objects, bounds{oneUpdater + "5", 0}},
	{"kubernetes-48394", writes.Objects, bounds{oneUpdater + "4", 0}},
	{"kubernetes-54780", writes.Objects, bounds{oneUpdater + "9", 0}},
	{"kubernetes-77619", writes.Objects, bounds{oneUpdater + "7", 0}},
	{"kubernetes-82303", writes.Objects, bounds{oneUpdater + "6", 0}},
	{"kubernetes-89828-precondition", writes.Objects, bounds{oneUpdater + "10", 0}},
	{"kubernetes-89828-deleted-object", writes.Objects, bounds{updating + " items=1 updaters=3 updates=2", 0}},
	{"kubernetes-138724", writes.Objects, bounds{updating + " items=0 updaters=2 updates=1", 0}},
	{"change-wakes-no-read", scenarios.AwaitedChange, bounds{"writers=1 writes=1 readers=1 gets=1 keys=1 items=1 network=0s scheduling=0s horizon=2s", 0}},
	{"store-before-version", scenarios.WatchListStreams, bounds{"caches=1 writers=1 writes=2 deletes=false txns=false noise=0 noise-writes=0 keys=1 items=1" +
		" list-watchers=1 list-rounds=1 list-rv=unset breaks=0 restarts=0 at-rest=true", 0}},
	{"version-before-store", scenarios.Issue15220, bounds{"etcd=3.6.16 " + one, 0}},
}

func (b *bug) params() (testbed.Params, error) {
	p := b.scenario.Params
	p.Bugs = []string{b.name}
	return p, setAll(&p, b.set)
}

// unsearched says why no search finds a bug, empty if it is not known.
func unsearched(b *testbed.KnownBug) string {
	switch {
	case b.Scenario.Params.Clock.Mode == sim.Timed:
		return "shows in runs with a clock"
	case b.Property.Past == nil:
		return "a search does not judge " + b.Property.Name
	}
	if why, ok := beyond[b.Name]; ok {
		return "beyond: " + why
	}
	return "not looked for yet"
}

// searchable reports whether more of the bounds could lead a search to a bug: the scenario has no
// clock, and the search judges the property. A bug that a row finds by the clock counts, too.
func searchable(b *testbed.KnownBug) bool {
	return b.Scenario.Params.Clock.Mode != sim.Timed && (b.Property.Past != nil || b.Property.Goal != nil)
}

// shows are the names of the properties that the bug is known to violate in the scenario of the row, none
// if it is looked for in another one.
func shows(t *testing.T, b *bug) []string {
	t.Helper()
	known, err := testbed.FindBug(b.name)
	require.NoError(t, err)
	if b.scenario != known.Scenario {
		return nil
	}
	return testbed.Names(append(slices.Clone(known.Further), known.Property))
}

// control searches within the same bounds without the bug, for the one promise that the bug breaks.
func control(t *testing.T, b *bug, violated string) *without {
	t.Helper()
	p, err := b.params()
	require.NoError(t, err)
	p.Bugs = nil
	found, _ := search(t, only(b.scenario, violated), p, b.firings, *maxStates)
	return &without{Verdict: found.Verdict, Why: found.Why, States: found.States, Situations: situationsOf(found)}
}

// only is a scenario that claims nothing else.
func only(sc *testbed.Scenario, claims ...string) *testbed.Scenario {
	one := *sc
	one.Claims = slices.DeleteFunc(slices.Clone(sc.Claims), func(c *testbed.Property) bool { return !slices.Contains(claims, c.Name) })
	return &one
}

// shrinkSeeds is in how many schedules a run is looked for that is then shrunk.
const shrinkSeeds = 6000

// shrunk is the number of steps of the run that shrinking makes of what random schedules find
// within the same bounds, 0 if they find nothing.
func shrunk(t *testing.T, b *bug, p testbed.Params, property string) int {
	t.Helper()
	subjects, err := b.scenario.Subjects(p)
	require.NoError(t, err)
	s := strategy.Default()
	found, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: s, Seeds: shrinkSeeds, Steps: p.Clock.Steps})
	require.NoError(t, err)
	i := slices.IndexFunc(found.Failures, func(f campaign.FailureTally) bool { return f.Failure.Property == property })
	if i < 0 {
		return 0
	}
	finder := &diagnosis.Finder{Scenario: b.scenario, Params: p, Strategy: s, Last: shrinkSeeds - 1, Shrink: true}
	told, err := finder.Find(t.Context(), found.Failures[i:i+1])
	require.NoError(t, err)
	return told[0].Recording.Steps()
}

// TestBugs searches the known bugs again that are found soon enough, and compares.
func TestBugs(t *testing.T) {
	kept := load(t)
	for i := range bugs {
		b := &bugs[i]
		t.Run(b.name, func(t *testing.T) {
			p, err := b.params()
			require.NoError(t, err)
			want, ok := kept.Bugs[b.name]
			if !*updateProofs {
				require.True(t, ok, "the bug is new; %s", searchAnew)
				if want.States > searchedAgain() {
					t.Skipf("%d states", want.States)
				}
			}
			found, runs := search(t, b.scenario, p, b.firings, *maxStates)
			require.Equal(t, string(prove.Violated), found.Verdict, "%d states", found.States)
			have := figuresOf(found)
			if names := shows(t, b); names != nil {
				require.Contains(t, names, have.Violated)
			}
			require.Equal(t, have.Steps, runs[0].Steps(), "a step of the search is one of the recording")
			if *updateProofs {
				have.Shrunk, have.Without = shrunk(t, b, p, have.Violated), control(t, b, have.Violated)
				require.True(t, have.Without.holds(), "without the bug: %s", have.Without)
				kept.Bugs[b.name] = have
				kept.write(t)
				return
			}
			have.Shrunk, have.Without, have.Asked = want.Shrunk, want.Without, want.Asked
			if want.Without.States <= searchedAgain() {
				have.Without = control(t, b, have.Violated)
			}
			require.Equal(t, want, have, searchAnew)
		})
	}
}

// TestNoRunIsShorterThanTheShortest: what shrinking gives has at least as many steps as what
// the search has found, and at most half as many again.
func TestNoRunIsShorterThanTheShortest(t *testing.T) {
	for name, f := range load(t).Bugs {
		if f.Shrunk > 0 {
			require.GreaterOrEqual(t, f.Shrunk, f.Steps, name)
			require.LessOrEqual(t, 2*f.Shrunk, 3*f.Steps, name)
		}
	}
}

// TestControlsHold: within the bounds of each bug the promise is put to the test without the bug, too, and nothing
// else breaks it.
func TestControlsHold(t *testing.T) {
	for name, f := range load(t).Bugs {
		require.True(t, f.Without.holds(), "%s: without the bug: %s", name, f.Without)
	}
}

// TestEachRowSetsAnOptionOnce: all rows can be put together, also those that are too large to be searched again.
func TestEachRowSetsAnOptionOnce(t *testing.T) {
	for i := range bugs {
		_, err := bugs[i].params()
		require.NoError(t, err, bugs[i].name)
	}
	for i := range promises {
		for _, r := range promises[i].rows() {
			_, err := r.params()
			require.NoError(t, err, r.name())
		}
	}
}
