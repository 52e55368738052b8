package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Delegated = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "delegated-watches",
	Summary: "consistent LISTs of a resource that is written while etcd serves the watches that clients begin without a resourceVersion",
	Doc: `Watches without gRPC metadata share a stream: clientv3 creates them one after the other, etcd puts their events into one
channel of 128 responses, and one sendLoop sends one response at a time. Each write is an event for each of 100 delegated watches. If the
cache watches on that stream, its watch is created when its turn comes, its events wait among theirs, a full channel makes a victim of its
watcher as of any other, and no progress is sent while one of them is behind. So it was with hundreds of such watches from Kubernetes 1.27 on
(kubernetes/kubernetes#115096, #123448, etcd-io/etcd#17529). On a stream of its own the cache does not notice them
(SeparateCacheWatchRPC, #123532). All amounts of etcd are what it has out of the box.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("watch-delegation=unset"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Readers: 2, Reads: 6, Read: "consistent", Unversioned: 100, AwaitReady: true, Keys: 2,
			Items: 2, Think: 200 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 2 * time.Millisecond, Horizon: 20 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{
		reads.AnswersInTime, reads.Linearizable, caches.ServedAsPromised, caches.NeededProgress, caches.TimersOwned,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable),
		known.Rarely(known.AwaitedProgress()),
		known.StaleReads(reads.Linearizable),
	),
})
