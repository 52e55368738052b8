package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var Rollout = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout",
	Summary: "API servers are replaced one after the other by ones with the gates on, back by ones with the gates off, and once more; clients go on",
	Doc: `The path upgrade, downgrade, upgrade that the KEPs want tested, with the gates ConsistentListFromCache and WatchList. A server
keeps nothing when it is replaced, and the next one is replaced when it serves. Clients LIST and GET at both servers in turn,
watch, and follow as informers. Whatever the rollout has come to, no client goes back in time or misses an event, and each LIST is
answered by the server that its gate says.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-4988 caches=2
		server-settings=cache-1:consistent-list-from-cache=disabled,cache-1:watch-list=disabled,cache-2:consistent-list-from-cache=disabled,cache-2:watch-list=disabled
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 readers=2 reads=5 gets=2 read=consistent move=true
		watchers=2 keys=3 items=2 await-ready=true informers=1 informer-list=watch-list informer-rv=unset
		breaks=1 replacements=6 steps=60000`),
	About: testbed.Reaches{"an API server is replaced by one with the options of the one before the last": 70},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.EventTypes,
		informers.MatchEtcd, informers.Monotonic, informers.CatchUp,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.StartsAsChecked, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd),
		known.BackInTime(reads.Monotonic, informers.MatchEtcd, informers.Monotonic, informers.CatchUp),
		known.EarlyVersions(caches.MatchEtcd),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic),
		known.When(known.EndsByTimer, testbed.Unless(known.EtcdNotifies)).RarelyViolates(informers.CatchUp).
			Because("no progress is requested for a watch with initial events, which never end on a quiet range (kubernetes/kubernetes#122805)"),
		known.Rarely(known.StaleRelist()),
	),
})

var RolloutPages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout-pages",
	Summary: "snapshots are switched on and off server by server, while clients turn pages and etcd is compacted (KEP-4988)",
	Doc: `A token outlives the process that gave it. It comes to a server that has no snapshot of its revision: one that keeps none, or
one that has just started. In both cases etcd answers, or refuses what it has compacted. See rollout-snapshots, in which no
server is replaced.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2 server-settings=cache-1:cache=kep-2340,cache-2:cache=kep-2340
		compactors=true ring=3 page=2
		writers=2 writes=4 deletes=true noise=1 noise-writes=2 readers=3 reads=5 read=past move=true move-pages=true
		keys=4 items=4 history=1 await-ready=true replacements=4 steps=30000`),
	About:  testbed.Reaches{"an API server is replaced by one with the options of the one before the last": 70},
	Claims: pagesOfTwoServers,
	Known:  knownOfPagesOfTwoServers,
})

var RolloutGate = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout-gate",
	Summary: "an API server with the gate ConsistentListFromCache off beside one with the gate on; clients move between them",
	Doc: `In the middle of a rollout, and of a rollback, etcd answers the consistent LISTs of one API server and the cache those of the
other (KEP-2340, "Rollout, Upgrade and Rollback Planning"). A client that goes from one to the other, with LISTs and GETs, never goes back in
time. Both servers restart and keep their gates.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2 server-settings=cache-1:consistent-list-from-cache=disabled
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 readers=2 reads=4 gets=2 read=consistent move=true
		watchers=2 keys=3 items=2 await-ready=true breaks=2 restarts=2 steps=40000`),
	About: testbed.Reaches{"cache: list delegated to etcd": 80},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.EventTypes,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.StartsAsChecked, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd),
		known.BackInTime(reads.Monotonic),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic),
	),
})

// pagesOfTwoServers are what pages of one list have to be that go back and forth between servers with and without
// snapshots.
var pagesOfTwoServers = []*testbed.Property{
	reads.Exact, reads.Pages, reads.NoCompactedReads, reads.Linearizable, caches.MatchEtcd, caches.HistoryKept,
	caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
}

var knownOfPagesOfTwoServers = slices.Concat(
	known.EarlyProgress(reads.Linearizable, caches.MatchEtcd),
	known.EarlyVersions(reads.Exact, reads.Pages),
	known.When(known.KeepsSnapshots, known.KeepsLateSnapshots).RarelyViolates(reads.NoCompactedReads).
		Because("a cache that is late by a whole interval of compactions keeps a snapshot that is compacted"),
	known.StaleReads(reads.Linearizable),
)

var RolloutSnapshots = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout-snapshots",
	Summary: "continue tokens cross API servers with and without snapshots, while both compact etcd and restart (KEP-4988)",
	Doc: `The first API server keeps no snapshots: etcd answers what is asked of it about the past. Each page of a list is requested of
the other server than the page before, with the token that this one has given. Whichever of the two answers, the pages are
together the state at one revision, and what has been compacted is refused by both.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2 server-settings=cache-1:cache=kep-2340 compactors=true ring=3 page=2
		writers=2 writes=4 deletes=true noise=1 noise-writes=2 readers=3 reads=4 read=past move-pages=true keys=4
		items=4 history=1 await-ready=true restarts=2 steps=20000`),
	About:  testbed.Reaches{"cache: list of several pages": 70, "compactor: etcd compacted": 65},
	Claims: pagesOfTwoServers,
	Known:  knownOfPagesOfTwoServers,
})

var RolloutCompactors = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout-compactors",
	Summary: "an API server that compacts etcd every three minutes and polls for compactions beside one that does so every minute and is notified",
	Doc: `The flag --etcd-compaction-interval and the way in which a cache hears of compactions change with a rollout, while the servers compete for
one compact_rev_key. The old server loses nearly all its tries against the new one, and has to refuse what this one has compacted. Clients turn
pages at both servers.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2
		server-settings=cache-1:compact-interval=3m0s,cache-1:compaction-notice=polled compactors=true
		compact-interval=1m
		writers=1 writes=8 deletes=true readers=2 reads=10 read=past move=true move-pages=true keys=3 items=3
		history=1 await-ready=true think=1m
		breaks=2 restarts=2 faults-for=4m mode=timed network=5ms scheduling=1ms horizon=14m steps=200000`),
	About: testbed.Reaches{"cache: page refused because of a compaction, with the token of the rest": 45},
	Claims: []*testbed.Property{
		reads.NoCompactedReads, reads.Exact, reads.Pages, reads.Linearizable, caches.MatchEtcd,
		caches.HistoryKept, caches.HistoryDropped,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyVersions(reads.Exact, reads.Pages, reads.Linearizable, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable),
	),
})
