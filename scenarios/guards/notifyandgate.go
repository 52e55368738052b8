package guards

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var NotifyAndGate = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "notify-and-gate",
	Summary: "etcd with progress notifications and without, the gate ConsistentListFromCache on and off: all four must work (KEP-2340, e2e tests)",
	Doc: `LISTs and GETs in every way, and watches, of two API servers, while a resource is hardly written and others are. "Introduce e2e
test that run both with etcd progress notify events enabled and disable to ensure both configurations work correctly (both with this
feature enabled and disabled)". As it stands, etcd notifies every 5 s, as Kubernetes' own test clusters have it, and the gate is on.
--set notify=10m is etcd's default: no notification comes within the run. --set consistent-list-from-cache=disabled is the gate off.
What each of the four comes to on three releases of etcd, and what it costs, is in scenarios/guards.md.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("notify=5s"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 1, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 60, NoiseFor: 30 * time.Second,
			Readers: 4, Reads: 16, Gets: 8, Read: "seen", Move: true, Watchers: 2, AwaitReady: true, Keys: 2, Items: 2,
			Think: 2 * time.Second,
		},
		Faults: faults.Options{Breaks: 2, Restarts: 1, EtcdRestarts: 1, For: 5 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.AnswersInTime, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, caches.ServedAsPromised, caches.NeededProgress,
		caches.JustifiedRefusals,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.ResumedWatches(reads.NotOlderThan, watches.Ordered, watches.Unique, watches.Reliable),
		known.ReadsThatHang(known.WaitsUntilFresh),
		known.When(known.GateIsOff, known.AnswersLists, known.ReadsNameVersion, testbed.Unless(known.NotifiesEvery(250*time.Millisecond))).
			Violates(reads.AnswersInTime).
			Because("no progress is requested for a LIST that names a resourceVersion, and the next event or notification of a quiet resource comes too late"),
		known.When(known.AwaitsNotifications, known.WaitsUntilFresh, testbed.Unless(known.NotifiesEvery(time.Second))).
			Violates(reads.AnswersInTime).
			Because("the next notification comes later than a LIST waits, which is 3 s"),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
