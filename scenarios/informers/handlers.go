package informers

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// handlerClaims are what handlers of a shared informer are promised, toldClaims those of them that depend on what
// the informer is sent.
var (
	toldClaims    = []*testbed.Property{informers.HandlerOrder, informers.HandlerSynced, informers.HandlersRest, informers.MatchEtcd, informers.Monotonic}
	handlerClaims = append([]*testbed.Property{informers.HandlerKnows, informers.HandlerResyncs}, toldClaims...)
)

// sharedDraws are the sizes of shared informers, what they do and what is written meanwhile; handlerDraws are those of scenarios in
// which any handler may be removed.
var (
	sharedDraws = []option.Range{
		option.From("informer-handlers", "1", "3"), option.From("informer-late-handlers", "0", "1", "3"), option.From("informer-stops", "0", "1", "3"),
		option.From("informer-batch", "1", "3"), option.From("informer-locked", "true"), option.From("informer-resyncs", "0", "4"),
		option.From("writes", "1", "4", "8"), option.From("items", "0", "1"), option.From("informer-breaks", "0", "2"),
	}
	handlerDraws = append([]option.Range{option.From("informer-removed-handlers", "0", "1")}, sharedDraws...)
)

var Handlers = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-handlers",
	Summary: "handlers of a shared informer, two from the start and two added late, with resyncs: each is told everything in order (client-go 0.37)",
	Doc: `What is between a reflector and its controllers, as client-go has it since 0.36: a list gets into the queue (RealFIFO) as
one delta and into the store at once (AtomicFIFO), other deltas are processed in batches, and the queue is open meanwhile. Handlers have
goroutines of their own, and resync periods of their own. The other two handlers are added while the informer runs: they are told of all that
is in the store as their initial list, and of what follows. Watches break, so that informers list again.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 5, Deletes: true, Read: "consistent", Keys: 1, Items: 2},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List:   informer.ByWatchList,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 2, Late: 2, Batch: 2, Resync: 1, Resyncs: 2},
		}},
		Faults: faults.Options{InformerBreaks: 1, InformerRefusals: 1},
		Clock:  testbed.Clock{ToRest: true, Steps: 20_000},
	},
	Draws:  handlerDraws,
	Claims: handlerClaims,
	Known: slices.Concat(known.Rarely(known.BackInTime(toldClaims...)), known.Rarely(known.StaleRelist()), neverSynced(informers.HandlersRest),
		known.RefusedStreams(known.InformersStop)),
})

var HandlersStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-handlers-start",
	Summary: "a handler is added to a shared informer that has just begun, and removed, and the informer is stopped and begun anew: nothing waits for ever",
	Doc: `The goroutines of the listeners (sharedProcessor.run) may start late: after a handler was added and removed, after the first
list, after a resync. Stopping the informer waits for all of its goroutines. Two deadlocks of client-go were here: kubernetes#136509 and
kubernetes#137296. In a state in which nothing can happen any more the property handlers-come-to-rest says which goroutines wait for what.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 2, Deletes: true, Read: "consistent", AwaitReady: true, Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List:   informer.ByWatchList,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 1, Late: 1, Removed: 1, Stops: 1, Resync: 1, Resyncs: 1},
		}},
		Clock: testbed.Clock{ToRest: true, Steps: 20_000},
	},
	Draws:  handlerDraws,
	Claims: handlerClaims,
	Known: slices.Concat(known.Rarely(known.BackInTime(toldClaims...)), known.Rarely(known.StaleRelist()), neverSynced(informers.HandlersRest),
		known.RefusedStreams(known.InformersStop)),
})

var HandlersRelist = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-handlers-relist",
	Summary: "watches of a shared informer are refused, and it lists again while deltas wait in its queue: handlers are told of what changed between",
	Doc: `An informer whose watch ends with an error lists, and what it finds gets into the queue behind the deltas that are there.
As one delta (AtomicFIFO) it is compared with the store when its turn comes. Object by object, as before client-go 0.36, it must be compared with
the store and with the queue: kubernetes#115620 is about an object that was in the queue only.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Deletes: true, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List: informer.ByListWatch, RV: informer.RVNewest,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 1, Late: 1, Batch: 2, Resync: 1, Resyncs: 1},
		}},
		Faults: faults.Options{InformerBreaks: 1, InformerRefusals: 6},
		Clock:  testbed.Clock{ToRest: true, Steps: 20_000},
	},
	Draws:  handlerDraws,
	Claims: handlerClaims,
	Known:  slices.Concat(known.Rarely(known.BackInTime(toldClaims...)), known.Rarely(known.StaleRelist()), neverSynced(informers.HandlersRest)),
})

// neverSynced is what becomes of handlers if the initial events of an informer's watch never end.
func neverSynced(violates ...*testbed.Property) []testbed.Row {
	return known.When(known.EndsByTimer, testbed.Unless(known.EtcdNotifies)).RarelyViolates(violates...).
		Because("no progress is requested for a watch with initial events, which never end on a quiet range (kubernetes/kubernetes#122805)")
}

var HandlersResync = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-handlers-resync",
	Summary: "handlers of a shared informer with periods of 30, 60 and 90 seconds are told of everything once more, each by its own period",
	Doc: `With a clock. The informer looks every 30 seconds whose period is over (resyncCheckPeriod, the shortest one), and what a resync tells goes to those
handlers alone. The third handler is added while the informer runs, so that its periods begin between two looks, and each resync waits for the next one. Watches
break and end, and some requests are refused, so that the informer lists: looks begin anew then, and what has changed
is told to all handlers.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 12, Deletes: true, Read: "consistent", AwaitReady: true, Keys: 2, Items: 3, Think: 90 * time.Second},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List: informer.ByListWatch, RV: informer.RVNewest,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 2, Late: 1, After: 45 * time.Second, Resync: 30 * time.Second},
		}},
		Faults: faults.Options{InformerBreaks: 1, InformerRefusals: 4, For: 8 * time.Minute},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 12 * time.Minute, Steps: 100_000,
		},
	},
	Claims: []*testbed.Property{informers.HandlerResyncs, informers.HandlerKnows, informers.HandlerOrder, informers.HandlerSynced, informers.MatchEtcd},
	Known:  slices.Concat(known.Rarely(known.BackInTime(informers.HandlerSynced, informers.MatchEtcd))),
})

var Controller = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-controller",
	Summary: "a controller updates objects that it reads in its informer's store: it acts on none from before its own update (KEP-5647)",
	Doc: `The answer to an update comes before its event, and the controller may be called about the object meanwhile: by what another
client wrote, or by a resync. It records the resourceVersion of its update, and leaves the object alone until its store has come to that. This
is so for writes whose answer has come, and for one process: a controller that starts again has forgotten what it recorded. An API server
restarts, so that answers get lost.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{Writers: 1, Writes: 4, Deletes: true, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List: informer.ByWatchList, Controller: true,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 1, Resync: 1, Resyncs: 2},
		}},
		Faults: faults.Options{InformerBreaks: 1, InformerRestarts: 1, Restarts: 1},
		Clock:  testbed.Clock{ToRest: true, Steps: 20_000},
	},
	Draws:  sharedDraws,
	Claims: append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, handlerClaims...),
	Known:  slices.Concat(known.Rarely(known.BackInTime(append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, toldClaims...)...)), known.RefusedStreams(), neverSynced(informers.HandlersRest, informers.ControllerDone)),
})
