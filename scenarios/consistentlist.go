package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var ConsistentList = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "consistent-list",
	Summary: "writers, noise, readers and watchers around one cache, with breaks and restarts: everything that KEP-2340 promises",
	Doc: `Puts, deletes and transactions on the watched prefix, noise on another one, consistent LISTs and GETs, watchers of the
cache, watch streams that break and an API server that restarts. On fixed versions nothing here is violated, as long
as the race of the scenario rewatch is masked.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=2 writes=3 txns=true deletes=true noise=1 noise-writes=2 readers=2 reads=3 gets=1 read=consistent
		watchers=1 keys=3 items=1 history=2 await-ready=true breaks=1 restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{
		"cache: get delegated to etcd": 80, "clientv3: the stream to etcd breaks": 75, "cache: relist": 75,
	},
	Active: testbed.Active{"unmask=created": "", "failovers=1": "members=3.6.16", "downgrade=3.5.7": ""},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd, watches.Ordered,
		watches.Unique, watches.Reliable, watches.Bookmarkable, caches.ServedAsPromised,
		caches.NeededProgress, watches.EventTypes, caches.JustifiedRefusals,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp, watches.BookmarksCome,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd, watches.Bookmarkable),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
		known.StaleAfterGet(),
	),
})

var EveryRead = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "every-read",
	Summary: "LISTs and GETs in every way: consistent, any, not older, exact, in pages, of a future revision, invalid",
	Doc: `Readers ask one way after the other, of a cache that lists in pages; it restarts, and so does etcd, which compacts. Consistent reads are
held to linearizability, the others to what they asked for.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 page=1
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 readers=3 reads=4 gets=3 read=every watchers=1 leave=2
		compactions=1 keys=3 items=3 history=1 restarts=1 etcd-restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{
		"cache: list of several pages": 70, "cache: invalid list refused": 80, "cache: get delegated to etcd": 80,
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.Exact, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, caches.JustifiedRefusals,
		caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress, watches.EventTypes,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp, reads.NotFound,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.ResumedWatches(reads.NotOlderThan, watches.Ordered, watches.Unique, watches.Reliable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var Outages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "outages",
	Summary: "etcd restarts, installs a snapshot and compacts while clients write and read",
	Doc: `All clients lose the connection to etcd: writes of unknown outcome, reads that the client library repeats, watches that
resume below the compacted revision and end, caches that list again. etcd's progress ticker runs, too.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 client-kv=true compaction-batch=1 sync-batch=1 notify=10m
		writers=2 writes=4 deletes=true noise=1 noise-writes=2 readers=2 reads=3 gets=1 read=consistent watchers=1
		streams=1 compactions=2 keys=2 items=2 history=1 await-ready=true
		breaks=1 etcd-restarts=1 etcd-snapshots=1 steps=20000`),
	About: testbed.Reaches{"etcd: more history than one batch": 60, "etcd: snapshot installed": 65},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.AtMostOnce, caches.MatchEtcd, watches.Ordered,
		watches.Unique, watches.Reliable, watches.Bookmarkable, watches.EventTypes, caches.JustifiedRefusals,
		caches.ServedAsPromised, caches.NeededProgress,
		caches.Resumes,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd, watches.Bookmarkable),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
		known.StaleAfterGet(),
	),
})

var Backpressure = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "backpressure",
	Summary: "consistent LISTs while every buffer on the way is full: victims, blocked sends, blocked loops",
	Doc: `The watch channel, the control queue, gRPC's window and the buffers of Kubernetes' etcd3 watcher hold one or two entries,
and the cache remembers few events. On fixed versions progress waits for the events before it, whichever buffer they are in.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 chan-buf=1 ctrl-buf=1 send-window=1 watchers-per-sync=1 client-buf=1
		ring=2 incoming=1 watch-buf=1
		writers=2 writes=5 noise=1 noise-writes=2 readers=2 reads=2 read=consistent watchers=2 streams=1 keys=2
		items=1 history=1 await-ready=true breaks=1 steps=20000`),
	About: testbed.Reaches{
		"etcd: victim sent to": 70, "etcd: watch channel full": 70, "etcd3: incomingEventChan is full": 60,
		"etcd: cancel waits for a victim in flight": 20, "etcd: stream ended while Send was blocked": 6,
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.ClientBounded, watches.Ordered, watches.Unique,
		watches.Reliable, watches.Bookmarkable, watches.EventTypes, caches.JustifiedRefusals,
		caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("a client of etcd's own watch API requests progress, whatever the cache does (etcd-io/etcd#15220)"),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var PagedLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "paged-lists",
	Summary: "consistent LISTs in pages, from the cache and from etcd: together they are one state, and not an old one",
	Doc: `Clients list three objects page by page while they change, from two API servers that restart, with a compacting etcd. KEP-2340
and its first draft weigh what answers: etcd all pages, the cache the first one, or only what fits one page, or what it
kept of the list under the token, or snapshots (KEP-4988), or the whole list whatever the limit. --set pagination=... selects
one. A page that etcd cannot give any more is refused (410); the pages that are given are of one revision.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		writers=2 writes=4 deletes=true readers=2 reads=2 read=pages compactions=1 keys=3 items=3 await-ready=true
		breaks=1 restarts=1 steps=20000`),
	About:  testbed.Reaches{"cache: list with a limit answered in part": 25},
	Active: testbed.Active{"move=true": "", "move-pages=true": "caches=2"},
	Claims: []*testbed.Property{
		reads.Pages, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.ServedAsPromised,
		caches.PageSizes, caches.JustifiedRefusals, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
