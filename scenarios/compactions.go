package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var CrashInCompaction = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "crash-in-compaction",
	Summary: "etcd restarts in the middle of compactions of its newest revision",
	Doc: `A compaction deletes in batches, with pauses between them, and marks its end after the last batch. Releases before 3.4.34
and 3.5.16 delete a deletion at the compacted revision. If that is the newest revision and etcd restarts before the mark, no
key has that revision any more. Releases before 3.4.32 and 3.5.14 take the newest revision of a key for that of the store, and
give a revision to a second write (etcd-io/etcd#17780). A batch is one revision here, as a batch of 1000 would take too many writes.`,
	Params: testbed.With(`etcd=3.5.15 cache=direct caches=1 compaction-batch=1 compaction-pause=10ms
		writers=1 writes=3 deletes=true readers=1 reads=2 read=consistent compactions=2 keys=2 items=2 think=100ms
		etcd-restarts=3 faults-for=300ms mode=timed network=5ms scheduling=1ms horizon=2s steps=20000`),
	About:  testbed.Reaches{"etcd: compaction pauses between batches": 35},
	Active: testbed.Active{"restore-revision=from-scheduled-compaction": "etcd=3.5.13"},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.JustifiedRefusals},
	Known: slices.Concat(
		known.When(known.RestartTakesRevisionBack, known.CompactionRemovesDeletion, known.EtcdRestarts, testbed.Unless(known.SendsNoProgress)).
			Violates(reads.Linearizable, reads.LinearizableData).
			Because("after a crash in a compaction etcd gives out revisions for the second time (etcd-io/etcd#17780)"),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var ResumedCompaction = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "resumed-compaction",
	Summary: "a compaction at a deletion goes on after a restart of etcd, and watches begin at that revision",
	Doc: `A watch may begin at the compacted revision, so a compaction keeps a deletion at exactly that revision. Before the restart
it has removed what the key was before. Releases before 3.4.36 and 3.5.18 do not index a key of which only a deletion is left;
the compaction that goes on does not find the deletion in the index and removes it (etcd-io/etcd#19179). In releases before 3.4.34 and
3.5.16 every compaction removes it (etcd-io/etcd#18089).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compaction-batch=1
		writers=1 writes=3 deletes=true read=consistent streams=2 compactions=2 keys=2 items=2 history=3 think=100ms
		etcd-restarts=3 faults-for=300ms mode=timed network=5ms scheduling=1ms horizon=2s steps=20000`),
	Stream: func(p *testbed.Params, _ int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{
			Creates: []*wire.WatchCreateRequest{watchFrom(p.Workload.FirstRevision() + 2)},
			Begin:   sim.Delay{Max: 400 * time.Millisecond, Steps: 40},
		}
	},
	About:  testbed.Reaches{"etcd: compaction resumed after a restart": 15},
	Active: testbed.Active{"restore-tombstone=not-indexed": "etcd=3.6.16"},
	Claims: []*testbed.Property{watches.Resumable},
})

var CompactedWatchHistory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compacted-watch-history",
	Summary: "caches drop events that etcd has compacted, while clients leave and come back: each gets every event, or the 410 of etcd",
	Doc: `KEP-4988 compacts the snapshots of a cache with etcd, and leaves its history of events for the future. With
watch-history=until-compacted events go as well: a client that comes back from before a compaction that the cache has heard of is refused, as
etcd would refuse it, and memory is freed before the history is full. A client from the compacted revision on misses nothing.
--set watch-history=until-full is the document, and every release: such a client is sent what etcd has no more.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2 compactors=true watch-history=until-compacted
		writers=2 writes=4 deletes=true read=consistent watchers=3 leave=1 keys=2 items=2 history=1 await-ready=true
		breaks=1 restarts=1 steps=20000`),
	About:  testbed.Reaches{"compactor: etcd compacted": 60},
	Active: testbed.Active{"watch-history=until-compacted": "watch-history=until-full"},
	Claims: []*testbed.Property{
		caches.NoCompactedWatches, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.EventTypes,
		caches.JustifiedRefusals, caches.MatchEtcd,
	},
	Known: slices.Concat(
		known.When(testbed.Unless(known.CompactsWatchHistory), testbed.Unless(known.IsLibrary)).Violates(caches.NoCompactedWatches).
			Because("the history of events is kept whatever etcd compacts (KEP-4988)"),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
	),
})
