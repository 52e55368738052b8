package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// overtakes: progress that speaks for a watch can be sent before the watch's history.
var overtakes = testbed.AnyOf(known.ProgressOvertakesEvents, known.CreatedOvertakesProgress)

var Rewatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rewatch",
	Summary: "a watch is created on a live stream, and progress meant for those before it is taken for its own",
	Doc: `etcd answers a create request through the control queue and, since 3.4.25 and 3.5.8, a progress request through the watch
channel. So Created can be sent before progress that was queued when the watch did not exist yet. That progress is for
watch id -1, all watches of the stream: the client takes it for the new one as well, whose history has not come. This is the part of
etcd-io/etcd#15220 that its fix left open. Real servers of 3.5.12, 3.5.35 and 3.6.16 did it in 484 to 490 of 500 runs, with ten
requests before the second watch (conformance/testdata/created-overtakes-progress.json). A client of etcd's own API shows
it at once.

A cache's watch ends here and begins anew on the same stream because of a second race: recvLoop stores the option prevKV
of a watch after it has registered it, so that an event may be sent without the previous value; Kubernetes' watcher
takes a change without one for an error. With watch-prev-kv=unasked it has no such cause.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 unmask=created caches=1
		writers=2 writes=3 txns=true deletes=true noise=1 noise-writes=2 readers=2 reads=3 read=consistent streams=1
		keys=3 items=1 history=2 await-ready=true breaks=1 steps=20000`),
	Stream: watchAfterProgress,
	About:  testbed.Reaches{"etcd: Created names a revision past events of the watch": 30},
	Claims: []*testbed.Property{
		watches.Bookmarkable, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd,
		caches.NeededProgress,
	},
	Known: slices.Concat(
		known.When(overtakes).Violates(watches.Bookmarkable).
			Because("a client of etcd's own watch API takes progress for that of its new watch (etcd-io/etcd#15220)"),
		known.When(overtakes, known.AsksForPrevious, known.WaitsUntilFresh, known.RequestsProgress, known.TrustsEtcd).
			Violates(caches.MatchEtcd).
			Because("the cache takes progress for that of its new watch (etcd-io/etcd#15220)"),
		known.When(overtakes, known.AsksForPrevious, known.WaitsUntilFresh, known.RequestsProgress, known.TrustsEtcd, testbed.Unless(known.RequestsOnce)).
			Violates(reads.Linearizable, reads.LinearizableData).
			Because("the cache takes progress for that of its new watch (etcd-io/etcd#15220)"),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.When(known.CreatedOvertakesProgress, known.RequestsOnce).RarelyViolates(reads.Linearizable, reads.LinearizableData).
			Because("the only progress request is seldom the one that is overtaken"),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

// watchAfterProgress is the race without a client library: progress is requested
// of a stream whose watch is synced, and another watch created that has history
// to catch up on.
func watchAfterProgress(*testbed.Params, int) workload.EtcdWatchPlan {
	return workload.EtcdWatchPlan{
		Creates:  []*wire.WatchCreateRequest{{Key: topology.Elsewhere, RangeEnd: model.PrefixEnd(topology.Elsewhere)}},
		Requests: 1,
		Later:    []sim.Payload{&wire.WatchCreateRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0)), StartRevision: 2}},
	}
}
