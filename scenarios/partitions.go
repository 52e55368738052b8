package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
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
		reads.AnswersInTime, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.NeededProgress, caches.ReopensInTime, caches.TimersOwned,
	},
	Known: slices.Concat(
		known.ReadsThatHang(known.WaitsUntilFresh),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var MemberPartition = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "member-partition",
	Summary: "the member of etcd that serves the watches is cut off from the leader for seconds, and its clients still reach it",
	Doc: `Such a member answers pings and keeps its watch streams open, and nothing new comes. It campaigns, gets no vote, and knows no
leader. etcd ends the streams that require one three election timeouts later (monitorLeader), and the client library opens the next
stream at the other member. Kubernetes has required a leader since 1.19 (kubernetes/kubernetes#89488, #89881): without
(require-leader=never) the cache waits until the network is back. A client library that knows one member only (balanced=false) is
refused there, again and again.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1, Lagging: true, Balanced: true},
		Workload: workload.Options{
			Writers: 1, Writes: 6, Noise: 1, NoiseWrites: 40, NoiseFor: 30 * time.Second, Readers: 3, Reads: 20, Streams: 2,
			Read: "consistent", AwaitReady: true, Items: 2, Keys: 2, Think: 3 * time.Second,
		},
		Faults: faults.Options{MemberPartitions: 1, For: 30 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 90 * time.Second,
			Steps: 200_000,
		},
	},
	Stream: func(_ *testbed.Params, i int) workload.EtcdWatchPlan {
		create := watchFrom(0)
		create.RequireLeader = i == 0
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{create}, Requests: 3, Every: time.Second}
	},
	Claims: []*testbed.Property{
		reads.ServedWithoutMember, reads.AnswersInTime, etcdapi.NeedsLeader, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd,
		caches.TimersOwned,
	},
	Known: slices.Concat(
		known.NoProgress(known.WaitsUntilFresh),
		known.Rarely(known.OneRequest(known.WaitsUntilFresh)),
		known.NoEcho(known.WaitsUntilFresh),
		known.Rarely(known.Violating(known.ReadsThatHang(known.WaitsUntilFresh), reads.ServedWithoutMember)),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.ProgressBelowList(caches.MatchEtcd),
		known.EchoOfOther(reads.Linearizable, reads.LinearizableData),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
