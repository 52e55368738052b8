package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var SnapshotReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "snapshot-reads",
	Summary: "exact LISTs and pages of past states while two API servers compact etcd and restart (KEP-4988)",
	Doc: `Readers ask for past states: exactly, in pages, both, and page by page from the newest state on. Writers change what they
list, the history of each cache holds few events, and both API servers compete for compacting etcd. What a cache answers
from a snapshot is what etcd has, or had, at that revision; what has been compacted is refused by both.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2 compactors=true ring=3 page=2
		writers=2 writes=4 deletes=true noise=1 noise-writes=2 readers=3 reads=4 read=past keys=3 items=2 history=1
		await-ready=true restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: snapshot evicted with its event": 55, "compactor: another server was first": 65},
	Claims: []*testbed.Property{
		reads.Exact, reads.Pages, reads.NoCompactedReads, reads.Linearizable, caches.MatchEtcd, caches.HistoryKept,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, caches.MatchEtcd),
		known.When(known.ProgressOvertakesEvents, known.HearsOfProgress, known.KeepsSnapshots).
			Violates(reads.Exact).
			Because("snapshots have resourceVersions to which the cache has not come (etcd-io/etcd#15220)"),
		known.EarlyVersions(reads.Exact, reads.Pages),
		known.When(known.KeepsSnapshots, known.KeepsLateSnapshots).RarelyViolates(reads.NoCompactedReads).
			Because("a cache that is late by a whole interval of compactions keeps a snapshot that is compacted"),
		known.StaleReads(reads.Linearizable),
	),
})

var CompactedHistory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compacted-history",
	Summary: "a quiet resource, read at an old revision long after etcd was compacted: gone, from cache or not (kubernetes #131011)",
	Doc: `Hardly anything is written, so that the history of the cache loses nothing by itself. Two API servers compact etcd, every two
minutes instead of five. A client that goes on asking for an early revision is served from a snapshot until the cache hears of the
compaction, and refused from then on. --set compaction-notice=unheard is a cache that never hears of it.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2 compactors=true compact-interval=2m
		writers=1 writes=4 readers=2 reads=16 read=past keys=2 items=2 history=1 await-ready=true think=1m
		faults-for=1s mode=timed network=5ms scheduling=1ms horizon=12m steps=200000`),
	About:  testbed.Reaches{"cache: snapshot dropped because etcd was compacted": 65},
	Draws:  drawsCompactors,
	Active: testbed.Active{"compaction-poll=1s": "compaction-notice=polled"},
	Claims: []*testbed.Property{
		reads.Exact, reads.Pages, reads.NoCompactedReads, caches.MatchEtcd, caches.HistoryKept, caches.HistoryDropped,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
	},
	Known: known.EarlyVersions(reads.Exact, reads.Pages, caches.MatchEtcd),
})

var CompetingCompactors = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "competing-compactors",
	Summary: "three API servers compete for compacting etcd, and restart: none serves history that another one has compacted (KEP-4988)",
	Doc: `The server that writes compact_rev_key first compacts; the others learn of it from their watch of the key. Their caches poll that
knowledge, or get each compaction passed on. Servers restart in the first minutes, also between the write of the key and the compaction, and watch streams
break. A minute passes between two compactions instead of five.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=3 client-kv=true compactors=true compact-interval=1m
		writers=1 writes=8 deletes=true readers=2 reads=10 read=past move=true keys=3 items=2 history=1
		await-ready=true think=1m
		breaks=3 restarts=3 faults-for=4m mode=timed network=5ms scheduling=1ms horizon=10m steps=200000`),
	About: testbed.Reaches{
		"compactor: another server was first": 70, "cache: snapshot dropped because etcd was compacted": 65,
	},
	Draws: drawsCompactors,
	Claims: []*testbed.Property{
		reads.NoCompactedReads, reads.Exact, reads.Pages, reads.Linearizable, caches.MatchEtcd,
		caches.HistoryKept, caches.HistoryDropped,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
		caches.ReopensInTime,
	},
	Known: slices.Concat(
		known.EarlyVersions(reads.Exact, reads.Pages, reads.Linearizable, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable),
	),
})

var LoneCompactor = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lone-compactor",
	Summary: "one API server compacts etcd every five minutes, and both restart: etcd keeps the history of one interval, and of two at most",
	Doc: `There is no other server that takes over what this one misses. The outcome of a try is unknown if etcd restarts or times out meanwhile; a
compaction that fails is not repeated, and the next one goes further. A server that starts again does not know what it saw last, so that
its first try fails and the second one compacts. Compactions that come too early take from clients the pages and watches that they
are in the middle of; those that do not come let etcd grow.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 client-kv=true compactors=true
		writers=1 writes=16 deletes=true readers=1 reads=12 read=past keys=2 items=2 history=1 await-ready=true
		think=5m
		restarts=1 etcd-restarts=1 timeouts=4 faults-for=11m mode=timed network=5ms scheduling=1ms horizon=40m steps=200000`),
	About:  testbed.Reaches{"compactor: etcd compacted": 65},
	Draws:  drawsCompactors,
	Active: testbed.Active{"compact-watch-retry=100ms": ""},
	Claims: []*testbed.Property{
		caches.HistoryKept, caches.HistoryDropped, reads.NoCompactedReads, reads.Exact, caches.MatchEtcd,
		caches.ReopensInTime,
	},
	Known: slices.Concat(
		known.EarlyVersions(reads.Exact, caches.MatchEtcd),
	),
})
