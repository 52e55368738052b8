package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var Moves = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-moves",
	Summary: "informers restart and move between API servers, and ask for RV=\"\": they never go back in time",
	Doc: `What KEP-3157 promises of a stream with resourceVersion "": a process that has forgotten everything is not shown an older
state than the one before it, whichever API server it comes to (kubernetes/kubernetes#59848). See informer-time-travel.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2
		writers=2 writes=3 noise=1 noise-writes=1 read=consistent keys=2 items=2 informers=2 informer-list=watch-list
		informer-rv=unset restarts=1 informer-breaks=2 informer-restarts=3 to-rest=true steps=40000`),
	About: testbed.Reaches{
		"informer: moved to another API server": 80, "informer: newest stream after a refused resourceVersion": 40,
		"informer: restarted": 80, "informer: initial events ended by a bookmark": 70,
	},
	Active: testbed.Active{"informer-queue=real-fifo": ""},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.Rarely(known.StaleRelist()),
	),
})

var TimeTravel = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-time-travel",
	Summary: "the same with RV=\"0\", as client-go lists: a restarted informer goes back in time (kubernetes #59848)",
	Doc: `The first list of a process names resourceVersion "0": any state will do. If the next API server has a cache that
is behind, the informer shows its handlers objects that it had reported as deleted.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2
		writers=2 writes=3 noise=1 noise-writes=1 read=consistent keys=2 items=2 informers=2 informer-rv=0
		restarts=1 informer-breaks=2 informer-restarts=3 to-rest=true steps=40000`),
	About:  testbed.Reaches{"informer: moved to another API server": 80, "informer: restarted": 80},
	Claims: Claims,
	Known:  slices.Concat(known.AnyVersion(informers.Monotonic), known.BackInTime(contentClaims...)),
})

var Outages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-outages",
	Summary: "informers, API servers and etcd restart and watches break; a quarter of an hour later every informer has everything",
	Doc: `With a clock: backoff with its jitter, Retry-After, watches that time out after five to ten minutes, and the eleven tries of
a request that is refused. Once nothing breaks any more, every informer must have caught up by the end.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2 ring=4
		writers=1 writes=12 deletes=true noise=1 noise-writes=10 noise-for=20s read=consistent keys=3 items=3 think=2m
		informers=3 informer-list=watch-list
		breaks=2 half-opens=2 restarts=2 etcd-restarts=1 informer-breaks=4 informer-half-opens=2 informer-restarts=2 faults-for=1m mode=timed
		network=1ms scheduling=500us horizon=40m steps=200000`),
	About: testbed.Reaches{
		"world: a stream is half-open": 75, "informer: watch ended by its timeout": 60, "informer: watch resumed": 75,
		"informer: watch ended by 410": 50, "informer: watch closed at once": 60,
		"informer: request sent again after Retry-After": 75, "informer: restarted": 75,
		"informer: moved to another API server": 80,
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.BackInTime(append([]*testbed.Property{watches.InitialEvents}, contentClaims...)...),
		known.RefusedStreams(),
	),
})

var Refusals = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-refusals",
	Summary: "API servers refuse requests of informers and end their watches: 429 with and without Retry-After, 500, 410",
	Doc: `What an informer does next is in client-go's Reflector and in the request below it: after 429 the same watch again, after
Retry-After or a pause; after 500 and 410 a list that names the last resourceVersion; after 410 to a list the newest state; and a LIST in
place of a WatchList that is refused otherwise. Some comparisons of the consistency detector are refused, too, and made again. An API
server that does not say that it is ready is left for the next one.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		writers=1 writes=4 deletes=true noise=1 noise-writes=1 read=consistent keys=3 items=3 await-ready=true
		informers=2 informer-list=watch-list informer-page=2 informer-check=true
		restarts=1 informer-breaks=2 informer-refusals=6 to-rest=true steps=40000`),
	About: testbed.Reaches{
		"informer: stream closed before the end of its initial events": 50, "informer: list in place of a stream": 55,
	},
	Claims: append([]*testbed.Property{informers.DetectorAccuracy}, streamedClaims...),
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.When(known.ProgressOvertakesEvents, known.RequestsProgress, known.KeepsSnapshots, known.TrustsEtcd).
			RarelyViolates(informers.DetectorAccuracy).
			Because("the exact list of the detector is answered from the same state that was streamed"),
		known.Rarely(known.StaleRelist()),
	),
})

var Overload = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-overload",
	Summary: "API servers refuse the requests of informers for minutes: each informer pauses longer and longer, up to a minute, and catches up",
	Doc: `With a clock. A request that is refused with Retry-After is sent again ten times; then the Reflector pauses, twice as long each
time, from 0.8 to 30 seconds and up to as much again. Watches end after five to ten minutes, and are resumed at the last
resourceVersion, by a bookmark if nothing was written.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=2
		writers=1 writes=6 deletes=true noise=1 noise-writes=10 noise-for=1m read=consistent keys=2 items=3 think=4m
		informers=2
		restarts=1 informer-breaks=2 informer-refusals=60 faults-for=15m mode=timed network=1ms scheduling=500us
		horizon=30m steps=200000`),
	About:  testbed.Reaches{"informer: backed off after 429": 55},
	Claims: Claims,
	Known: slices.Concat(
		known.BackInTime(contentClaims...),
		known.When(known.EchoProves, known.NoProgressBelowStart, known.WaitsUntilFresh).RarelyViolates(informers.CatchUp).
			Because("no echo comes for the watch of a cache that begins on a quiet store, and lists of the newest state are refused (the fix of etcd-io/etcd#20221)"),
		known.Rarely(known.StaleRelist()),
	),
})

var VersionSkew = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-version-skew",
	Summary: "an API server that does not know sendInitialEvents beside one that does: informers move between them, list and stream, and miss nothing",
	Doc: `The gate WatchList is off in the first API server, which was not upgraded yet (KEP-3157, "Version Skew Strategy"; see
informer-fallback). An informer that comes to it is refused its stream and lists, and streams again when it comes to the other server
and has to list. It knows nothing of servers: what it holds never goes back in time, and nothing is missed on the way.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2 server-settings=cache-1:watch-list=disabled
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 read=consistent keys=2 items=3 informers=2
		informer-list=watch-list informer-rv=unset informer-page=2
		restarts=2 informer-breaks=3 informer-restarts=2 to-rest=true steps=40000`),
	About:  testbed.Reaches{"cache: invalid watch refused": 70, "informer: list in place of a stream": 75},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.StaleRelist(),
	),
})

var QuietResource = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-quiet-resource",
	Summary: "informers of a resource that nothing writes lose their API server for one that started later: bookmarks spare them the list",
	Doc: `An API server that has started takes a watch only from a resourceVersion that is as new as its own list. Other resources are
written, so that without bookmarks the resourceVersion of an informer falls behind each minute that it watches; with them it is a minute
old at most. Both API servers start again within half an hour. LISTs are counted: --set informer-no-bookmarks=true is an informer without
bookmarks, which has the same contents in the end, and lists more often.`,
	Params: testbed.With(`etcd=3.6.16 cache=v0.37.2 caches=2 notify=5s
		noise=1 noise-writes=180 noise-for=30m read=consistent keys=2 items=3 await-ready=true informers=4
		restarts=4 faults-for=30m mode=timed network=1ms scheduling=500us horizon=40m steps=1000000`),
	About:  testbed.Reaches{"informer: position moved by a bookmark": 80},
	Active: testbed.Active{"informer-watch-timeout=20s": ""},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})
