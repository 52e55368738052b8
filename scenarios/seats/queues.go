package seats

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Queues = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats",
	Summary: "LISTs, GETs and watches behind API Priority and Fairness: they wait in queues for seats, and some are refused",
	Doc: `An API server has seven seats, and each LIST of its two objects or more takes two of them, a GET and a watch one. Six readers,
two watchers and two informers wait in two queues of one place each. A LIST for which too few seats are left holds up all that come
behind it, also in the other queue. An informer that restarts leaves its watch in the queue.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340-fallback",
		Settings: option.Settings("seats=7", "queues=2", "queue-length=1", "objects-per-seat=1"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 6, Reads: 3, Gets: 2,
			Read: "every", Watchers: 2, Leave: 1, AwaitReady: true, Keys: 3, Items: 2,
		},
		Informers: testbed.InformerOptions{Count: 2},
		Faults:    faults.Options{Breaks: 1, Restarts: 1, InformerRestarts: 2, InformerBreaks: 1},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		caches.SeatsKept, reads.Linearizable, reads.NotOlderThan, caches.MatchEtcd, caches.JustifiedRefusals, caches.NothingLeft,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable),
	),
})
