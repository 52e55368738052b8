package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/client"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/timers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Partitions = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "partitions",
	Summary: "for a while no message gets from an API server to etcd, or from etcd to any client; afterwards every consistent LIST is served in time",
	Doc: `A network that drops packets breaks no connection at once: what is sent waits, and arrives when the network is back. The API
server that is cut off answers no consistent LIST meanwhile, and the one beside it goes on. Nothing that comes late may be taken
for news: progress that waited is old when it arrives, and so is the answer to a request for etcd's revision.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 1, Writes: 6, Noise: 1, NoiseWrites: 40, NoiseFor: 6 * time.Second, Readers: 4, Reads: 8,
			Read: "consistent", AwaitReady: true, Items: 2, Keys: 2, Think: time.Second,
		},
		Faults: faults.Options{Partitions: 2, ServerPartitions: 1, Breaks: 2, For: 6 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{
		reads.AnswersInTime, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.NeededProgress, client.ReopensInTime, timers.Owned,
	},
	Known: slices.Concat(
		known.ReadsThatHang(known.WaitsUntilFresh),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
