package guards

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var UnknownRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-unknown-requests",
	Summary: "etcd before 3.3.14 does not know progress requests: the first draft's argument for notifications, which every etcd 3.x sends",
	Doc: `The first draft of KEP-2340 rejects WatchProgressRequest because it needs etcd 3.4, and prefers notifications, "available in all etcd
3.x versions". Up to 3.3.13 recvLoop takes a request that it does not know for nothing and goes on; 3.3.14 was given progress requests
together with the client library of 3.4, and answers them as 3.4.24 does (issue-15220 --etcd 3.3.27). Noise moves the revision, the listed resource is quiet,
and writers have their turn before that.

The draft's own design (progress-requests=notify) needs no request and holds. Its 250 ms are what it wants etcd to be changed to: 3.3 has 10
minutes and no flag for it, which came with 3.4.11. With --set notify=10m no notification comes in time, the draft's detection notices that, and
etcd answers all LISTs. A cache that asks for progress hangs for three seconds: then kep-2340 refuses the LIST, and designs that fall
back have etcd answer it, too late. The version checks send all LISTs to etcd from the start: --cache v0.37.2, or --cache kep-2340 with
--set version-check=shipped or kep-beta. With kep-ga the API server does not start.`,
	Params: testbed.Params{
		Etcd: "3.3.13", Cache: "draft-2019",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 2, Noise: 1, NoiseWrites: 20, NoiseFor: 200 * time.Millisecond, Readers: 2, Reads: 3, Read: "consistent",
			AwaitReady: true, Items: 2, Keys: 2, Think: 400 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 20 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd},
	Known: slices.Concat(
		known.AwaitedProgress(),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
