package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var SeatQueues = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats",
	Summary: "LISTs, GETs and watches behind API Priority and Fairness: they wait in queues for seats, and some are refused",
	Doc: `An API server has seven seats, and each LIST of its two objects or more takes two of them, a GET and a watch one. Six readers,
two watchers and two informers wait in two queues of one place each. A LIST for which too few seats are left holds up all that come
behind it, also in the other queue. An informer that restarts leaves its watch in the queue.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340-fallback caches=1 seats=7 queues=2 queue-length=1 objects-per-seat=1
		writers=1 writes=3 deletes=true noise=1 noise-writes=1 readers=6 reads=3 gets=2 read=every watchers=2 leave=1
		keys=3 items=2 await-ready=true informers=2
		breaks=1 restarts=1 informer-breaks=1 informer-restarts=2 to-rest=true steps=20000`),
	About: testbed.Reaches{
		"flow control: request waits for seats": 50, "flow control: request refused, it has waited too long": 30,
	},
	Claims: []*testbed.Property{
		caches.SeatsKept, reads.Linearizable, reads.NotOlderThan, caches.MatchEtcd, caches.JustifiedRefusals, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, caches.MatchEtcd),
		known.EarlyVersions(caches.MatchEtcd, caches.CatchUp),
		known.StaleReads(reads.Linearizable),
	),
})

var SeatsOfAnyRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-any-requests",
	Summary: "clients draw their LISTs, GETs and watches behind API Priority and Fairness: each takes as many seats as its kind",
	Doc: `A request takes up to three of fourteen seats, one for each object. A LIST with a limit that etcd answers takes two for each
object of its page; one of which the cache answers takes them for all objects, whatever its limit. A watch that asks for initial events
takes as many, and so does one without a resourceVersion or with 0 (since Kubernetes 1.35); any other watch takes one, as does one of a
single object. What a LIST is to be answered by follows from its resourceVersion, its match, its limit and its continue
token, which the clients draw anew in each run, also such as no API takes.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340-fallback caches=1 seats=14 queues=3 hand-size=2 queue-length=2 objects-per-seat=1
		writers=1 writes=4 deletes=true noise=1 noise-writes=1 read=consistent keys=4 items=3 await-ready=true
		list-watchers=1 list-rounds=2 list-rv=every drawn-readers=4 drawn-watchers=2 drawn-requests=5 informers=1
		informer-list=watch-list breaks=1 restarts=1 informer-restarts=1 to-rest=true steps=20000`),
	Draws:  option.Ranges(`seats-by=objects|size|memory object-size=1000|60000 seats-cap=shipped|none`),
	About:  testbed.Reaches{"flow control: request executed at once": 80},
	Claims: []*testbed.Property{caches.SeatsKept, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, caches.TimersOwned},
	Known: slices.Concat(
		known.EarlyVersions(caches.CatchUp),
		known.When(known.NoProgressBelowStart, known.InformersInsist, known.WaitsUntilFresh).RarelyViolates(testbed.ComingToRest).
			Because("no progress comes while a watch of the same stream starts behind the store's revision, and an informer streams again and again (the fix of etcd-io/etcd#20221)"),
	),
})

var SeatWaits = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-waits",
	Summary: "more LISTs and GETs than seats while a watch is clogged: each waits in its queue for two seconds at most, and is then refused",
	Doc: `With a clock. The watch of an API server is clogged for up to eight seconds, and a LIST that has seats has them for three,
until the cache is fresh or the LIST is refused. 24 clients share three queues, and what finds no seat waits there. When the oldest
of a queue has waited for two seconds, it is refused with 429, and those that came later wait on. A LIST takes two of the eight seats, and a GET
one: each queue is given its share of seats, and not of requests.`,
	Params: clogged.But("seats=8 queues=3 hand-size=1 queue-wait=2s objects-per-seat=5 items=10 keys=10 pollers=12 readers=12 reads=10 gets=60"),
	About: testbed.Reaches{
		"flow control: request refused, it has waited too long": 50,
		"flow control: request executed after a wait":           90,
	},
	Claims: []*testbed.Property{caches.SeatsKept, caches.TimersOwned},
})

// clogged: clients list all objects, each about once a second, while the watch of their API server is clogged for up to
// eight seconds and other resources are written.
var clogged = testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
	noise=1 noise-writes=24 noise-for=12s read=consistent await-ready=true think=2s patience=1m honour=true
	faults-for=8s clog=true mode=timed network=1ms scheduling=500us horizon=12s steps=100000`)

var SeatsFallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-fallback",
	Summary: "a clogged watch behind API Priority and Fairness: LISTs admitted as reads of the cache fall back, and etcd has more to do than seats allow",
	Doc: `The watch of an API server is clogged for up to eight seconds, while other resources are written. Ten LISTs at a time have
seats, one for each since the cache is to answer them, and wait for it for three seconds. If they fall back to etcd, each costs
two seats there, and the priority level does not admit them again: KEP-2340 ("Per-request override") is against a fallback because "cost of request
would change after the APF decision". on-timeout=reject and throttle put none to etcd. With fallback-seats=at-etcd a LIST
takes another seat before it falls back, or is refused with 429. Figures are in scenarios/guards.md.`,
	// A LIST from the cache takes one of ten seats, one from etcd two. etcd answers one in 100 ms.
	Params: clogged.But(`cache=kep-2340-fallback seats=10 hand-size=5 range-time=1ms item-time=1ms
		items=100 keys=100 pollers=20`),
	About:  testbed.Reaches{"flow control: list put to etcd costs more than was estimated": 40},
	Active: testbed.Active{"fallback-seats=at-etcd": ""},
	Claims: []*testbed.Property{caches.SeatsKept, caches.WithinSeats},
	Known: slices.Concat(
		known.When(known.FallsBack, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(caches.WithinSeats).
			Because("seats were taken for reads of the cache, and etcd answers them at twice the cost"),
		known.When(known.BypassesCache, known.TrustsEtcd).Violates(caches.WithinSeats).
			Because("seats are estimated as if there were a cache, and etcd answers every LIST"),
		known.When(known.AwaitsNotifications).Violates(caches.WithinSeats).
			Because("until etcd sends its first progress notification it answers all LISTs, which were admitted as reads of the cache"),
	),
})

var DefragmentedMember = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "defragmented-member",
	Summary: "the member of etcd that serves the watch is defragmented for seconds: LISTs fall back to the other one, or are refused with 429",
	Doc: `A member that is defragmented applies nothing, and its watches stay open and say nothing new. The revision that a consistent LIST has to
see comes from another member, so that the cache is never fresh enough and each LIST waits for three seconds. With on-timeout=fallback all
of them are put to etcd then, which reads and sends everything to each: they were admitted as reads of the cache, with a seat each, and nothing
counts them again (kubernetes/kubernetes#138494). With throttle, the alpha gate ConsistentListFromCacheSkipTimeoutFallback, clients are
told to come back in a second (kubernetes/kubernetes#138701). Figures are in scenarios/fallback.md.`,
	// A LIST keeps etcd busy for 100 ms.
	Params: clogged.But(`cache=kep-2340-fallback seats=40 queues=8 hand-size=4 range-time=1ms item-time=1ms lagging=true client-kv=true
		items=100 keys=100 pollers=40 writers=1 writes=6 readers=2 reads=4 noise-writes=40 noise-for=16s
		clog=false defragment=true faults-for=10s horizon=16s steps=400000`),
	About:  testbed.Reaches{"etcd: entry waits for a defragmentation": 70},
	Active: testbed.Active{"latency=true": ""},
	Claims: []*testbed.Property{caches.SeatsKept, caches.WithinSeats, reads.Linearizable},
	Known: slices.Concat(
		known.When(known.FallsBack, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(caches.WithinSeats).
			Because("seats were taken for reads of the cache, and etcd answers them at twice the cost"),
		known.When(known.BypassesCache, known.TrustsEtcd).Violates(caches.WithinSeats).
			Because("seats are estimated as if there were a cache, and etcd answers every LIST"),
		known.When(known.AwaitsNotifications).Violates(caches.WithinSeats).
			Because("until etcd sends its first progress notification it answers all LISTs, which were admitted as reads of the cache"),
		known.EchoOfOther(reads.Linearizable),
		known.StaleReads(reads.Linearizable),
	),
})
