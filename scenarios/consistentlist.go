package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var ConsistentList = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "consistent-list",
	Summary: "writers, noise, readers and watchers around one cache, with breaks and restarts: everything that KEP-2340 promises",
	Doc: `Puts, deletes and transactions on the watched prefix, noise on another one, consistent LISTs and GETs, watchers of the
cache, watch streams that break and an API server that restarts. On fixed versions nothing here is violated, as long
as the race of the scenario rewatch is masked.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Txns: true, Deletes: true, Noise: 1, NoiseWrites: 2, Readers: 2, Reads: 3, Gets: 1,
			Read: "consistent", Watchers: 1, AwaitReady: true, Keys: 3, Items: 1, History: 2,
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd, watches.Ordered,
		watches.Unique, watches.Reliable, watches.Bookmarkable, caches.ServedAsPromised,
		caches.NeededProgress, watches.EventTypes, caches.JustifiedRefusals,
		caches.NothingLeft, watches.KeepUp, watches.BookmarksCome,
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
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("page=1"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 3, Reads: 4, Gets: 3,
			Read: "every", Watchers: 1, Leave: 2, Keys: 3, Items: 3, History: 1, Compactions: 1,
		},
		Faults: faults.Options{Restarts: 1, EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.Exact, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, caches.JustifiedRefusals,
		caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress, watches.EventTypes,
		caches.NothingLeft, watches.KeepUp,
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
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("compaction-batch=1", "sync-batch=1", "notify=10m"),
		Topology: topology.Options{Servers: 1, ClientKV: true},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 2, Readers: 2, Reads: 3, Gets: 1,
			Read: "consistent", Watchers: 1, Streams: 1, AwaitReady: true, Keys: 2, Items: 2, History: 1,
			Compactions: 2,
		},
		Faults: faults.Options{Breaks: 1, EtcdRestarts: 1, Snapshots: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("chan-buf=1", "ctrl-buf=1", "send-window=1", "watchers-per-sync=1", "client-buf=1", "ring=2", "incoming=1", "watch-buf=1"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 5, Noise: 1, NoiseWrites: 2, Readers: 2, Reads: 2, Read: "consistent", Watchers: 2,
			Streams: 1, AwaitReady: true, Keys: 2, Items: 1, History: 1,
		},
		Faults: faults.Options{Breaks: 1},
		Clock:  testbed.Clock{Steps: 20_000},
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
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Readers: 2, Reads: 2, Read: "pages", AwaitReady: true, Keys: 3,
			Items: 3, Compactions: 1,
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		reads.Pages, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.ServedAsPromised,
		caches.PageSizes, caches.JustifiedRefusals, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
