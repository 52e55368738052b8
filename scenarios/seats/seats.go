// Package seats (unstable) holds the scenarios of API Priority and Fairness (KEP-1040) in front of
// caches: that its own rules are kept, and what becomes of them when etcd answers LISTs that were
// admitted as reads of the cache (KEP-2340, "Per-request override").
//
// The package must never import package scenarios, which lists these among its own.
package seats

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
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

var AnyRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-any-requests",
	Summary: "clients draw their LISTs, GETs and watches behind API Priority and Fairness: each takes as many seats as its kind",
	Doc: `A request takes up to three of fourteen seats, one for each object. A LIST with a limit that etcd answers takes two for each
object of its page; one of which the cache answers takes them for all objects, whatever its limit. A watch that asks for initial events
takes as many, and so does one without a resourceVersion or with 0 (since Kubernetes 1.35); any other watch takes one, as does one of a
single object. What a LIST is to be answered by follows from its resourceVersion, its match, its limit and its continue
token, which the clients draw anew in each run, also such as no API takes.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340-fallback",
		Settings: option.Settings("seats=14", "queues=3", "hand-size=2", "queue-length=2", "objects-per-seat=1"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", AwaitReady: true, Keys: 4, Items: 3,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "every"},
			Drawn:     workload.DrawnOptions{OfCache: 4, Watchers: 2, Requests: 5},
		},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{List: informer.ByWatchList}},
		Faults:    faults.Options{Breaks: 1, Restarts: 1, InformerRestarts: 1},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{caches.SeatsKept, caches.NothingLeft, caches.TimersOwned},
})

var Waits = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-waits",
	Summary: "more LISTs than seats while a watch is clogged: each waits in its queue for two seconds at most, and is then refused",
	Doc: `With a clock. The watch of an API server is clogged for up to eight seconds, and a LIST that has a seat has it for three,
until the cache is fresh or the LIST is refused. Twelve clients share three queues, and what finds no seat waits there. When the oldest
of a queue has waited for two seconds, it is refused with 429, and those that came later wait on.`,
	Params: func() testbed.Params {
		p := clogged(12, 10)
		p.Settings = option.Settings("seats=4", "queues=3", "hand-size=1", "queue-wait=2s")
		return p
	}(),
	Claims: []*testbed.Property{caches.SeatsKept, caches.TimersOwned},
})

// clogged: so many clients list so many objects, each about once a second, while the watch
// of their API server is clogged for up to eight seconds and other resources are written.
func clogged(clients, objects int) testbed.Params {
	return testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 24, NoiseFor: 12 * time.Second, Read: "consistent", AwaitReady: true, Items: objects,
			Keys: objects, Think: 2 * time.Second,
			Polling: workload.PollingOptions{Clients: clients, Patience: time.Minute, Honour: true},
		},
		Faults: faults.Options{For: 8 * time.Second, Clog: true},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 12 * time.Second,
			Steps: 100_000,
		},
	}
}

// fallbackParams: a LIST from the cache takes one of ten seats, one from etcd two. etcd
// answers one in 100 ms.
func fallbackParams() testbed.Params {
	p := clogged(20, 100)
	p.Cache = "kep-2340-fallback"
	p.Settings = option.Settings("seats=10", "hand-size=5", "range-time=1ms", "item-time=1ms")
	return p
}

var Fallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-fallback",
	Summary: "a clogged watch behind API Priority and Fairness: LISTs admitted as reads of the cache fall back, and etcd has more to do than seats allow",
	Doc: `The watch of an API server is clogged for up to eight seconds, while other resources are written. Ten LISTs at a time have
seats, one for each since the cache is to answer them, and wait for it for three seconds. If they fall back to etcd, each costs
two seats there, and the priority level does not admit them again: KEP-2340 ("Per-request override") is against a fallback because "cost of request
would change after the APF decision". on-timeout=reject and throttle put none to etcd. With fallback-seats=at-etcd a LIST
takes another seat before it falls back, or is refused with 429. Figures are in scenarios/guards.md.`,
	Params: fallbackParams(),
	Claims: []*testbed.Property{caches.SeatsKept, caches.WithinSeats},
	Known: slices.Concat(
		known.When(known.FallsBack, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(caches.WithinSeats).
			Because("seats were taken for reads of the cache, and etcd answers them at twice the cost"),
		known.When(known.BypassesCache, known.TrustsEtcd).Violates(caches.WithinSeats).
			Because("seats are estimated as if there were a cache, and etcd answers every LIST"),
		known.When(known.AwaitsNotifications).Violates(caches.WithinSeats).
			Because("until etcd sends its first progress notification it answers all LISTs, which were admitted as reads of the cache"),
	),
})

// defragmentedParams: forty clients, and a LIST that keeps etcd busy for 100 ms.
func defragmentedParams() testbed.Params {
	p := clogged(40, 100)
	p.Cache = "kep-2340-fallback"
	p.Settings = option.Settings("seats=40", "queues=8", "hand-size=4", "range-time=1ms", "item-time=1ms")
	p.Topology.Lagging, p.Topology.ClientKV = true, true
	p.Workload.Writers, p.Workload.Writes, p.Workload.Readers, p.Workload.Reads = 1, 6, 2, 4
	p.Workload.NoiseWrites, p.Workload.NoiseFor = 40, 16*time.Second
	p.Faults = faults.Options{For: 10 * time.Second, Defragment: true}
	p.Clock.Horizon, p.Clock.Steps = 16*time.Second, 400_000
	return p
}

var Defragmented = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "defragmented-member",
	Summary: "the member of etcd that serves the watch is defragmented for seconds: LISTs fall back to the other one, or are refused with 429",
	Doc: `A member that is defragmented applies nothing, and its watches stay open and say nothing new. The revision that a consistent LIST has to
see comes from another member, so that the cache is never fresh enough and each LIST waits for three seconds. With on-timeout=fallback all
of them are put to etcd then, which reads and sends everything to each: they were admitted as reads of the cache, with a seat each, and nothing
counts them again (kubernetes/kubernetes#138494). With throttle, the alpha gate ConsistentListFromCacheSkipTimeoutFallback, clients are
told to come back in a second (kubernetes/kubernetes#138701). Figures are in scenarios/fallback.md.`,
	Params: defragmentedParams(),
	Claims: []*testbed.Property{caches.SeatsKept, caches.WithinSeats, reads.Linearizable},
	Known: slices.Concat(
		known.When(known.FallsBack, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(caches.WithinSeats).
			Because("seats were taken for reads of the cache, and etcd answers them at twice the cost"),
		known.When(known.BypassesCache, known.TrustsEtcd).Violates(caches.WithinSeats).
			Because("seats are estimated as if there were a cache, and etcd answers every LIST"),
		known.When(known.AwaitsNotifications).Violates(caches.WithinSeats).
			Because("until etcd sends its first progress notification it answers all LISTs, which were admitted as reads of the cache"),
		known.EchoOfOther(reads.Linearizable),
		known.StaleReads(reads.Linearizable),
	),
})
