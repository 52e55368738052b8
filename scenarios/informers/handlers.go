package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// handlerClaims are what handlers of a shared informer are promised, and that nothing is left, toldClaims those of
// them that depend on what the informer is sent.
var (
	toldClaims    = []*testbed.Property{informers.HandlerOrder, informers.HandlerSynced, informers.HandlersRest, informers.MatchEtcd, informers.Monotonic}
	handlerClaims = append([]*testbed.Property{
		informers.HandlerKnows, informers.HandlerResyncs, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp,
	}, toldClaims...)
)

// sharedDraws are the sizes of shared informers, what they do and what is written meanwhile; handlerDraws are those of
// scenarios in which any handler may be removed.
var (
	sharedDraws = option.Ranges(`informer-handlers=1|3 informer-late-handlers=0|1|3 informer-stops=0|1|3 informer-batch=1|3
		informer-locked=true informer-resyncs=0|4 writes=1|4|8 items=0|1 informer-breaks=0|2`)
	handlerDraws = append(option.Ranges(`informer-removed-handlers=0|1`), sharedDraws...)
)

var Handlers = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-handlers",
	Summary: "handlers of a shared informer, two from the start and two added late, with resyncs: each is told everything in order (client-go 0.37)",
	Doc: `What is between a reflector and its controllers, as client-go has it since 0.36: a list gets into the queue (RealFIFO) as
one delta and into the store at once (AtomicFIFO), other deltas are processed in batches, and the queue is open meanwhile. Handlers have
goroutines of their own, and resync periods of their own. The other two handlers are added while the informer runs: they are told of all that
is in the store as their initial list, and of what follows. Watches break, so that informers list again.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=2 writes=5 deletes=true read=consistent keys=1 items=2 informers=1 informer-list=watch-list
		informer-queue=real-fifo informer-handlers=2 informer-late-handlers=2 informer-batch=2 informer-resync=1ns
		informer-resyncs=2 informer-breaks=1 informer-refusals=1 to-rest=true steps=20000`),
	Draws: handlerDraws,
	About: testbed.Reaches{
		"shared informer: handler added after the listeners have started": 60,
		"shared informer: resync processed":                               65,
	},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=2 deletes=true read=consistent keys=2 items=2 await-ready=true informers=1
		informer-list=watch-list informer-queue=real-fifo informer-handlers=1 informer-late-handlers=1
		informer-removed-handlers=1 informer-stops=1 informer-resync=1ns informer-resyncs=1 to-rest=true steps=20000`),
	Draws:  handlerDraws,
	About:  testbed.Reaches{"shared informer: handler removed before it has started": 20},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=2 writes=3 deletes=true read=consistent keys=2 items=2 informers=1 informer-rv=unset
		informer-queue=real-fifo informer-handlers=1 informer-late-handlers=1 informer-batch=2 informer-resync=1ns
		informer-resyncs=1 informer-breaks=1 informer-refusals=6 to-rest=true steps=20000`),
	Draws:  handlerDraws,
	About:  testbed.Reaches{"informer: newest list after a refused resourceVersion": 55},
	Claims: handlerClaims,
	Known:  slices.Concat(known.Rarely(known.BackInTime(toldClaims...)), known.Rarely(known.StaleRelist()), neverSynced(informers.HandlersRest)),
})

// neverSynced is what becomes of an informer, and of handlers, if the initial events of its watch never end.
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=12 deletes=true read=consistent keys=2 items=3 await-ready=true think=1m30s informers=1
		informer-rv=unset informer-queue=real-fifo informer-handlers=2 informer-late-handlers=1 informer-after=45s
		informer-resync=30s
		informer-breaks=1 informer-refusals=4 faults-for=8m mode=timed network=1ms scheduling=500us horizon=12m
		steps=100000`),
	About:  testbed.Reaches{"shared informer: resync processed": 80},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		writers=1 writes=4 deletes=true read=consistent keys=2 items=2 informers=1 informer-list=watch-list
		informer-queue=real-fifo informer-handlers=1 informer-resync=1ns informer-resyncs=2 informer-controller=true
		restarts=1 informer-breaks=1 informer-restarts=1 to-rest=true steps=20000`),
	Draws:  append(option.Ranges(`controller-consistency=own-writes|get get-unset=etcd|cache`), sharedDraws...),
	About:  testbed.Reaches{"controller: waits for its own write in the store": 35},
	Active: testbed.Active{"controller-consistency=get": ""},
	Claims: append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, handlerClaims...),
	Known: slices.Concat(known.Rarely(known.BackInTime(append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone, testbed.ComingToRest}, toldClaims...)...)), known.RefusedStreams(), neverSynced(informers.HandlersRest, informers.ControllerDone, testbed.ComingToRest),
		known.When(known.InformersQueueByObject).RarelyViolates(informers.OwnWrites, informers.ControllerDone, testbed.ComingToRest).
			Because("a controller waits for the resourceVersion of its store, which goes back where objects get into it out of their order")),
})

var OverloadedController = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-controller-overload",
	Summary: "API servers refuse the requests of a controller's informer for minutes, and its updates go through: it acts on none from before its own",
	Doc: `With a clock. The informer is refused with 429, or its watch breaks, and it pauses for up to a minute, while resyncs call the
controller about the objects of a store that is as old (kubernetes/kubernetes#129795). The controller leaves an object alone until its own
update is in the store (KEP-5647), and has updated each when the overload is over. With --set controller-consistency=none it acts at
once, on what it had before its update.`,
	Params: Controller.Params.But(`informer-refusals=60 informer-breaks=4 informer-resync=5s writes=10 think=15s faults-for=3m
		mode=timed network=1ms scheduling=500us horizon=10m to-rest=false steps=200000`),
	About:  testbed.Reaches{"informer: backed off after 429": 30, "controller: waits for its own write in the store": 8},
	Claims: append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, contentClaims...),
	Known:  known.Rarely(known.BackInTime(append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, contentClaims...)...)),
})
