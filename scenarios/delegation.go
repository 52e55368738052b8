package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
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
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 watch-delegation=unset
		writers=2 writes=4 readers=2 reads=6 read=consistent unversioned-watchers=100 keys=2 items=2 await-ready=true
		think=200ms mode=timed network=1ms scheduling=2ms horizon=20s steps=200000`),
	About: testbed.Reaches{"cache: watch delegated to etcd": 80},
	Claims: []*testbed.Property{
		reads.AnswersInTime, reads.Linearizable, caches.ServedAsPromised, caches.NeededProgress, caches.TimersOwned,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable),
		known.Rarely(known.AwaitedProgress()),
		known.StaleReads(reads.Linearizable),
	),
})
