package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var Partitions = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "partitions",
	Summary: "for a while no message gets from an API server to etcd, or from etcd to any client; afterwards every consistent LIST is served in time",
	Doc: `A network that drops packets breaks no connection at once: what is sent waits, and arrives when the network is back. The API
server that is cut off answers no consistent LIST meanwhile, and the one beside it goes on. Nothing that comes late may be taken
for news: progress that waited is old when it arrives, and so is the answer to a request for etcd's revision.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2
		writers=1 writes=6 noise=1 noise-writes=40 noise-for=6s readers=4 reads=8 read=consistent keys=2 items=2
		await-ready=true think=1s
		breaks=2 half-opens=1 partitions=2 server-partitions=1 faults-for=6s mode=timed network=1ms scheduling=500us horizon=1m
		steps=200000`),
	About: testbed.Reaches{
		"world: nodes are cut off from each other for some time": 75, "world: a stream is half-open": 75,
	},
	Claims: []*testbed.Property{
		reads.AnswersInTime, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.NeededProgress, caches.ReopensInTime, caches.TimersOwned,
		testbed.EventsInTime,
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 lagging=true balanced=true
		writers=1 writes=6 noise=1 noise-writes=40 noise-for=30s readers=3 reads=20 read=consistent streams=2 keys=2
		items=2 await-ready=true think=3s
		member-partitions=1 faults-for=30s mode=timed network=1ms scheduling=500us horizon=1m30s steps=200000`),
	Stream: func(_ *testbed.Params, i int) workload.EtcdWatchPlan {
		create := watchFrom(0)
		create.RequireLeader = i == 0
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{create}, Requests: 3, Every: time.Second}
	},
	About: testbed.Reaches{"etcd: a follower is cut off from the leader": 75},
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
