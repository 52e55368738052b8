package seats

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
)

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
