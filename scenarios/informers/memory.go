package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// feedback: twelve informers of three API servers begin at the same time, four at
// each. A LIST of the twenty objects is under way for two seconds and takes three times
// its objects, so that the clients of one server take 240. Two servers have memory for
// 350, which is enough for another client and for what watches are sent, and the first one
// for 200.
var feedback = testbed.With(`etcd=3.6.16 cache=kep-2340 memory-limit=350 caches=3 server-settings=cache-1:memory-limit=200
	writers=1 writes=4 read=consistent await-ready=true keys=2 items=20 think=1s informers=12 informer-list=list-watch
	mode=timed network=1ms scheduling=500us transfer=100ms horizon=10m steps=1000000`)

var MemoryFeedback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-feedback",
	Summary: "informers list at API servers with little memory: one is killed, its clients list at the next one, which is killed in turn",
	Doc: `What KEP-3157 and KEP-4988 begin with. The first server has memory for three LISTs and is asked for four. It is killed, its
clients ask the next one a second later, and that one has memory for its own clients and no more.`,
	Params: feedback,
	About:  testbed.Reaches{"cache: process killed because it is out of memory": 80},
	Claims: []*testbed.Property{caches.StaysUp, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		known.When(known.InformersList).Violates(caches.StaysUp).
			Because("a LIST takes three to five times its objects for as long as it is under way (KEP-3157, Motivation)"),
		known.When(known.BypassesCache).RarelyViolates(informers.CatchUp).
			Because("API servers are killed again and again, and the pauses of informers have become long"),
	),
})

var MemoryFallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-fallback",
	Summary: "a clogged watch, and all informers start over: if their LISTs fall back to etcd, the API server is out of memory",
	Doc: `The watch of one of three API servers is clogged for up to ten seconds, and all informers restart. They ask for the newest
state, which its cache does not have in time. Each server has memory for the LISTs of its clients as long as the cache answers
them, with three times the objects (240 of 350), and not if etcd does, with five times (400). LISTs that are rejected
(on-timeout=reject, throttle) come again, and the cache answers them after the fault. The metrics oom_warning_seconds say for how
long LISTs in flight, and those that wait for the cache, had been too many when a server was killed.`,
	Params: feedback.But(`server-settings= informer-rv=unset noise=1 noise-writes=60 noise-for=12s
		faults-for=10s clog=true informer-storms=1`),
	About:  testbed.Reaches{"etcd: response to a watch does not get through": 50},
	Claims: []*testbed.Property{caches.StaysUp, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		known.Where(known.UnknownRequests(known.WaitsUntilFresh, informers.CatchUp), testbed.Unless(known.FallsBack)),
		etcdAnswers(known.When(known.FallsBack), "etcd answers all LISTs that were waiting for the cache, each of which takes five times its objects"),
		etcdAnswers(known.When(known.StartsBeforeCheck, testbed.Unless(known.ServesStale)), "until it has heard that etcd is new enough, the cache passes LISTs on, and etcd answers them, each of which takes five times its objects"),
		etcdAnswers(known.When(known.BypassesCache), "etcd answers all LISTs, each of which takes five times its objects"),
		etcdAnswers(known.When(known.AwaitsNotifications), "until etcd sends its first progress notification it answers all LISTs, each of which takes five times its objects"),
	),
})

// quiet is memory for exactly what the clients of a server can take: nothing is written
// meanwhile, and no watch of the cache itself has an event under way.
var quiet = feedback.But("server-settings= writers=0")

var MemorySuffices = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-suffices",
	Summary: "API servers have memory for the LISTs of their informers and for not one object more: none is killed",
	Doc: `Four informers list twenty objects at each of three servers. The cache answers, so that each answer takes three times its
objects: 240, which is the limit. With --set memory-limit=239 all servers are killed again and again.`,
	Params: quiet.But("memory-limit=240"),
	About:  testbed.Reaches{"cache: watch begins in the history": 75},
	Claims: []*testbed.Property{caches.StaysUp, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		etcdAnswers(known.When(known.BypassesCache), "etcd answers all LISTs, each of which takes five times its objects"),
	),
})

var MemoryOfStreams = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-of-streams",
	Summary: "what streams take is bounded by the channels of watchers: ten objects each, and a server with memory for fewer is killed",
	Doc: `The informers of memory-suffices stream their list. Their watchers have ten slots each, all of which are in use while the
initial events are sent, whatever the number of objects is: forty objects for the four informers of a server. The first server has
memory for 39, and is killed. Its informers list at the next one, which has memory for that. With 40 no server is killed
(--set server-settings=cache-1:memory-limit=40).`,
	Params: quiet.But("informer-list=watch-list memory-limit=1000 server-settings=cache-1:memory-limit=39"),
	About:  testbed.Reaches{"cache: process killed because it is out of memory": 80},
	Claims: []*testbed.Property{caches.StaysUp, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		known.When(testbed.Unless(known.BypassesCache)).Violates(caches.StaysUp).
			Because("a watcher takes an object for each slot of its channel that is in use, which are ten, and an informer whose stream is refused lists"),
		etcdAnswers(known.When(known.BypassesCache), "etcd answers the LISTs of informers whose streams are refused, each of which takes five times its objects"),
	),
})

var MemorySeats = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "memory-seats",
	Summary: "twelve informers list at once at a server with memory for five LISTs: seats by memory cost, where a LIST may take as many as it costs",
	Doc: `API Priority and Fairness meets memory (KEP-3157, "Alternatives", 1). A LIST takes three times its twenty objects from the cache,
and five times from etcd, until its client has all of it two seconds later. There is memory for 300 objects and a seat for each ten of 240, so that
four LISTs are sent at a time, the others wait, and within half a minute every informer has synced. Seats by objects (--set seats-by=objects),
and seats by size or memory with the cap of 15 % of the seats (--set seats-cap=shipped), have more than five LISTs at a time, and the
server is killed. Figures are in scenarios/guards.md.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 memory-limit=300 seats=24 hand-size=6 objects-per-seat=10 seats-by=memory seats-cap=none
		object-size=1000000 writers=1 writes=4 read=consistent await-ready=true keys=2 items=20 think=1s informers=12 informer-list=list-watch
		mode=timed network=1ms scheduling=500us transfer=100ms horizon=30s steps=100000`),
	About: testbed.Reaches{
		"flow control: seats taken while an answer is sent": 90, "flow control: request executed after a wait": 80,
	},
	Active: testbed.Active{"seats-by=size": "seats-by=objects", "object-size=1000": "seats-by=size"},
	Claims: []*testbed.Property{caches.StaysUp, caches.SeatsKept, informers.CatchUp},
	Known: slices.Concat(
		known.BackInTime(informers.CatchUp),
		etcdAnswers(known.When(known.BypassesCache), "etcd answers all LISTs, each of which takes five times its objects, and no cache has counted them, so that a LIST has one seat"),
	),
})

// etcdAnswers: API servers are killed again and again, and at the end of a run an informer
// may be one whose pauses have become long.
func etcdAnswers(when known.Premise, because string) []testbed.Row {
	return slices.Concat(when.Violates(caches.StaysUp).Because(because), when.RarelyViolates(informers.CatchUp).Because(because))
}
