package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	_ "github.com/watchbed/watchbed/sim/etcdcache" // the design etcd-cache
	"github.com/watchbed/watchbed/testbed"
)

var LibraryReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "library-reads",
	Summary: "reads from etcd's own cache library: linearizable, serializable, and at a revision",
	Doc: `A Get of the library asks etcd for its revision and waits until the store has it, by an event or by progress (etcd-io/etcd#21428).
Unlike Kubernetes it asks for no version: up to 3.4.24 and 3.5.7 progress overtakes events, and it answers without a completed write.
scenarios/etcdcache.md has all releases.`,
	Params: testbed.With(`etcd=3.6.16 cache=etcd-cache caches=1
		writers=2 writes=3 txns=true deletes=true noise=1 noise-writes=2 readers=3 reads=4 gets=3 read=whole keys=2 items=1
		await-ready=true breaks=1 restarts=1 steps=20000`),
	About:  testbed.Reaches{"etcd cache: read waits": 45},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Exact, caches.MatchEtcd},
	Known:  known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
})

var LibraryElsewhere = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "library-elsewhere",
	Summary: "etcd's cache library, and now and then one write beside its prefix: is a consistent read answered in time?",
	Doc: `After one write to another prefix the progress that etcd sends names the very revision that the watcher of the store needs next. What
etcd ships leaves that progress out (broadcastProgressLocked, cache/demux.go), so that the read waits for the next write, or times out
after 3 s: --set library-progress=later. Here it is sent, and 3.4.25 to 3.4.30 and 3.5.8 to 3.5.12 still send none (etcd-io/etcd#17507).`,
	Params: testbed.With(`etcd=3.6.16 cache=etcd-cache caches=1 library-progress=next
		writers=1 writes=2 noise=1 noise-writes=5 noise-for=10s readers=2 reads=6 read=consistent keys=2 items=2 await-ready=true
		think=2s mode=timed network=1ms scheduling=500us horizon=1m steps=200000`),
	About:  testbed.Reaches{"etcd cache: read waits": 60},
	Active: testbed.Active{"library-progress=later": ""},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable},
	Known: slices.Concat(
		known.When(known.LeavesOutNextProgress).Violates(reads.AnswersInTime).
			Because("progress up to the revision that the watcher of the store needs next is not sent to it"),
		known.NoProgress(known.WaitsUntilFresh),
		known.EarlyProgress(reads.Linearizable),
	),
})

var LibraryWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "library-watches",
	Summary: "watchers of etcd's cache library that are slow, leave and come back, while it remembers three revisions",
	Doc: `A watcher that has no room, or before which the revision jumps, lags: every 50 ms the library replays what its history has, and ends
the watcher with ErrCompacted if that is too little. The watcher of the store is one of them, and so is ended too; the scenario
sets library-store=kept, and library-compaction shows what comes of it otherwise.`,
	Params: testbed.With(`etcd=3.6.16 cache=etcd-cache caches=1 ring=3 watch-buf=1 library-store=kept
		writers=2 writes=5 txns=true deletes=true noise=1 noise-writes=2 readers=1 reads=2 read=consistent watchers=3 leave=2
		watch-reading=slow keys=2 items=1 await-ready=true to-rest=true steps=20000`),
	About: testbed.Reaches{"etcd cache: watcher lags behind a gap": 45, "etcd cache: watcher needs what the history has lost": 30},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.KeepUp,
		caches.CatchUp, caches.MatchEtcd,
	},
	Known: slices.Concat(
		known.EarlyProgress(watches.Resumable, watches.Bookmarkable, watches.KeepUp, caches.MatchEtcd),
		known.Rarely(known.EarlyProgress(watches.Reliable)),
	),
})

var LibraryCompaction = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "library-compaction",
	Summary: "etcd compacts what the watch of its cache library still needs: the library lists again, and watchers go on",
	Doc: `The library lists, and the new watch of etcd ends all watchers, if it does not begin behind the last revision (Init, cache/demux.go).
The watcher that fills the store, registered a moment before, is among them. watch begins another one, on a second watch of
etcd, and the once that makes the cache ready is spent: WaitReady and Watch wait for ever, while Get goes on.`,
	Params: testbed.With(`etcd=3.6.16 cache=etcd-cache caches=1
		writers=1 writes=8 deletes=true readers=1 reads=3 read=consistent watchers=2 compactions=4 compact-newest=true keys=2 items=1
		await-ready=true breaks=4 to-rest=true steps=20000`),
	About:  testbed.Reaches{"etcd cache: watch ended by compaction": 10},
	Active: testbed.Active{"library-watchers=ended": ""},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable,
		watches.KeepUp, caches.CatchUp, caches.MatchEtcd,
	},
	Known: slices.Concat(
		known.When(known.EndsStoreWatcher).Violates(watches.KeepUp, caches.CatchUp).
			Because("the watcher of the store is ended with the others, and the cache is not ready any more"),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, watches.Resumable, caches.MatchEtcd),
		known.Rarely(known.EarlyProgress(watches.Reliable)),
	),
})
