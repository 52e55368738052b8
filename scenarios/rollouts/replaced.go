package rollouts

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Rollout = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout",
	Summary: "API servers are replaced one after the other by ones with the gates on, back by ones with the gates off, and once more; clients go on",
	Doc: `The path upgrade, downgrade, upgrade that the KEPs want tested, with the gates ConsistentListFromCache and WatchList. A server
keeps nothing when it is replaced, and the next one is replaced when it serves. Clients LIST and GET at both servers in turn,
watch, and follow as informers. Whatever the rollout has come to, no client goes back in time or misses an event, and each LIST is
answered by the server that its gate says.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-4988",
		Topology: topology.Options{Servers: 2, ServerSettings: []string{
			"cache-1:consistent-list-from-cache=disabled", "cache-1:watch-list=disabled",
			"cache-2:consistent-list-from-cache=disabled", "cache-2:watch-list=disabled",
		}},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 2, Reads: 5, Gets: 2, Move: true,
			Read: "consistent", Watchers: 2, AwaitReady: true, Keys: 3, Items: 2,
		},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{List: informer.ByWatchList, RV: informer.RVNewest}},
		Faults:    faults.Options{Replacements: 6, Breaks: 1},
		Clock:     testbed.Clock{Steps: 60_000},
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.EventTypes,
		informers.MatchEtcd, informers.Monotonic, informers.CatchUp,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.StartsAsChecked, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd),
		known.BackInTime(reads.Monotonic, informers.MatchEtcd, informers.Monotonic, informers.CatchUp),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic),
		known.When(known.EndsByTimer, testbed.Unless(known.EtcdNotifies)).RarelyViolates(informers.CatchUp).
			Because("no progress is requested for a watch with initial events, which never end on a quiet range (kubernetes/kubernetes#122805)"),
		known.Rarely(known.StaleRelist()),
	),
})

var Pages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rollout-pages",
	Summary: "snapshots are switched on and off server by server, while clients turn pages and etcd is compacted (KEP-4988)",
	Doc: `A token outlives the process that gave it. It comes to a server that has no snapshot of its revision: one that keeps none, or
one that has just started. In both cases etcd answers, or refuses what it has compacted. See rollout-snapshots, in which no
server is replaced.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-4988",
		Settings: option.Settings("ring=3", "page=2"),
		Topology: topology.Options{Servers: 2, Compactors: true, ServerSettings: []string{"cache-1:cache=kep-2340", "cache-2:cache=kep-2340"}},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 2, Readers: 3, Reads: 5, Read: "past", Move: true, MovePages: true,
			AwaitReady: true, Keys: 4, Items: 4, History: 1,
		},
		Faults: faults.Options{Replacements: 4},
		Clock:  testbed.Clock{Steps: 30_000},
	},
	Claims: []*testbed.Property{
		reads.Exact, reads.Pages, reads.NoCompactedReads, reads.Linearizable, caches.MatchEtcd, caches.HistoryKept,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, caches.MatchEtcd),
		known.EarlySnapshots(reads.Exact, reads.Pages),
		known.When(known.KeepsSnapshots, known.KeepsLateSnapshots).RarelyViolates(reads.NoCompactedReads).
			Because("a cache that is late by a whole interval of compactions keeps a snapshot that is compacted"),
		known.StaleReads(reads.Linearizable),
	),
})
