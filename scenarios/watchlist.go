package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// watchListClaims are what a client is promised that asks for initial events: the
// state at their end, and from there on what any watch is promised.
var watchListClaims = []*testbed.Property{watches.InitialEvents, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable}

// everyWatchList is what else such clients may see, rarely.
var everyWatchList = slices.Concat(
	known.Rarely(known.EarlyInitialEvents(watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable)),
	known.RepeatedByClient(watchListClaims...),
)

// inject is about one way to treat a full buffer.
var inject = known.When(known.InjectsEvents).Violates(watches.InitialEvents).
	Because("an initial event may follow a newer one of the same object (KEP-3157)")

var WatchListStreams = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list",
	Summary: "clients ask two API servers for initial events with every resourceVersion, while objects change, streams break and servers restart",
	Doc: `KEP-3157 in detail: the stream begins with the state of the collection, a bookmark ends that, and what
follows are the changes after the bookmark. Raw clients record what they are sent and believe nothing. As shipped, a cache
waits until it is fresh enough, and the bookmark follows the objects; --cache kep-3157 has it as the document does, where
objects are sent at once and the bookmark timer finds out when the cache is fresh enough. --set reflector-list=watch-list lets the cache
itself start like that.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2
		writers=2 writes=3 txns=true deletes=true noise=1 noise-writes=2 read=consistent keys=3 items=3
		list-watchers=2 list-rounds=3 list-rv=every breaks=1 restarts=1 steps=40000`),
	About:  testbed.Reaches{"cache: end of the initial events sent behind them": 75},
	Claims: append([]*testbed.Property{watches.EventTypes, caches.JustifiedRefusals}, watchListClaims...),
	Known:  slices.Concat(known.EarlyInitialEvents(watches.InitialEvents), everyWatchList),
})

var WatchListStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-start",
	Summary: "the caches themselves begin by a watch with initial events, in pages, while streams break, processes restart and etcd compacts",
	Doc: `Since Kubernetes 1.35 the reflector below the cacher asks etcd's storage for initial events instead of listing. That lists
in etcd all the same, page by page, and watches behind the list; the bookmark that ends the initial events makes the cache ready. What
was listed is worth nothing if the stream ends before. --set reflector-list=list is how it was.`,
	Params: testbed.With(`etcd=3.6.16 cache=v0.37.2 caches=2 client-kv=true reflector-list=watch-list page=2 client-buf=2
		writers=2 writes=3 deletes=true noise=1 noise-writes=2 readers=2 reads=3 read=consistent watchers=1
		compactions=1 keys=3 items=4 list-watchers=1 list-rounds=2 list-rv=every
		breaks=2 restarts=2 etcd-restarts=1 steps=40000`),
	About:  testbed.Reaches{"cache: contents replaced by initial events": 70},
	Claims: append([]*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, watches.EventTypes, caches.JustifiedRefusals}, watchListClaims...),
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.EarlyInitialEvents(watches.InitialEvents),
		known.ResumedWatches(watchListClaims...),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var WatchListSlow = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-slow",
	Summary: "clients that take one event at a time ask for initial events, and buffers of two events are full before they have them (KEP-3157, step 2b)",
	Doc: `A watcher sends its initial events while writers fill its channel. As shipped it is ended, unless the bookmark is in the
channel; then it is drained and ended, right after the bookmark. (kubernetes/kubernetes#134837 reports watches of 60,000
pods and more that end like that.) The options that the document keeps for beta are values of initial-events-buffer:
close-enough, dynamic, inject, cap. Taken by its words, "inject new events directly to the initial list" is not safe: an
initial event may follow a newer one of the same object, so that a deleted object comes back (--bug
initial-events-buffer=inject). With each event put in the place of the initial one that it makes obsolete
(initial-events-buffer=inject-merged) it is.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 watch-buf=2
		writers=2 writes=6 deletes=true read=consistent keys=4 items=4 await-ready=true list-watchers=2 list-rounds=2
		list-rv=every list-slow=true steps=40000`),
	About: testbed.Reaches{
		"cache: blocked watcher drained because the end of its initial events is in its channel": 25,
	},
	Claims: append([]*testbed.Property{watches.EventTypes}, watchListClaims...),
	Known:  slices.Concat(known.EarlyInitialEvents(watches.InitialEvents), inject, everyWatchList),
})

var WatchListFull = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-full",
	Summary: "what the options for a full buffer cost: time to the end of the initial events, watchers that are ended, events that are kept (KEP-3157, step 2b)",
	Doc: `Thirty objects, a client that takes one event in ten milliseconds, and two writers with fifty writes a second each: by the
time that the client has its initial events, several times as many events were dispatched as its channel holds. As shipped
every such watcher is ended, and its client begins anew, until the writers are done. Set initial-events-buffer to compare. The
figures are in scenarios/watchlists.md.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 watch-buf=4 list-cap=300 notify=5s
		writers=2 writes=20 deletes=true read=consistent keys=30 items=30 await-ready=true think=40ms list-watchers=1
		list-rounds=2 list-rv=unset list-slow=true list-pace=10ms
		mode=timed network=1ms scheduling=100us horizon=30s steps=400000`),
	About:  testbed.Reaches{"cache: blocked watcher terminated": 80},
	Claims: []*testbed.Property{watches.InitialEvents, caches.TimersOwned},
	Known:  slices.Concat(inject, known.Rarely(known.EarlyInitialEvents(watches.InitialEvents))),
})

var WatchListHeldUp = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-held-up",
	Summary: "clients of watches take one event in sixty milliseconds, and the dispatcher of their cache waits for them, timed",
	Doc: `Four writers write at about the same time and then pause for up to a second. The channels of a watch hold one event each, so that
they are soon full: the dispatcher is blocked, and goes on when the client has taken an event. Meanwhile no other watch of the cache is sent
anything. The dispatcher earns 50 ms a second for that, up to 100 ms (storage/cacher, timeBudget), and gets back what it did not use.
Two watches that are full at once are waited for together: the second one gets no time of its own.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 watch-buf=1
		writers=4 writes=6 read=consistent keys=3 items=3 await-ready=true think=1s list-watchers=3 list-rounds=1
		list-rv=unset list-slow=true list-pace=60ms mode=timed network=1ms scheduling=100us horizon=30s steps=200000`),
	About:  testbed.Reaches{"cache: dispatcher blocked by a watcher": 50},
	Claims: []*testbed.Property{watches.InitialEvents, caches.TimersOwned},
	Known:  known.Rarely(known.EarlyInitialEvents(watches.InitialEvents)),
})

var WatchListEnds = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-ends",
	Summary: "once all is healed, initial events must end in time, also where only other resources are written",
	Doc: `Objects do not change, so that nothing but progress tells a cache that it is fresh. As shipped a watch that asks for initial
events waits among the LISTs, and the cache asks for progress while it waits. As KEP-3157 describes it (--cache kep-3157) it
does not wait, and no progress is asked for: without frequent progress notifications from etcd the end never comes, which is how kubernetes/kubernetes#122805
looked from outside.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2
		noise=1 noise-writes=40 noise-for=8s read=consistent keys=3 items=3 await-ready=true think=2s list-watchers=3
		list-rounds=3 list-rv=unset
		breaks=2 restarts=1 etcd-restarts=1 faults-for=2s mode=timed network=1ms scheduling=500us horizon=30s
		steps=400000`),
	// Objects do not change, so that early progress has nothing to overtake.
	About:  testbed.Reaches{"cache: end of the initial events sent behind them": 80, "etcd: restart": 75},
	Claims: []*testbed.Property{watches.InitialEventsEnd, watches.InitialEvents, caches.ReopensInTime, caches.TimersOwned},
	Known: slices.Concat(
		known.When(known.EndsByTimer, testbed.Unless(known.EtcdNotifies)).Violates(watches.InitialEventsEnd).
			Because("no progress is requested for a watch with initial events (kubernetes/kubernetes#122805)"),
		known.When(known.DefersProgress, known.WaitsForInitialEvents, known.RequestsProgress, known.TrustsEtcd).
			Violates(watches.InitialEventsEnd).
			Because("progress never comes on a quiet range (etcd-io/etcd#17507)"),
		known.UnknownRequests(known.WaitsForInitialEvents, watches.InitialEventsEnd),
		known.When(known.RequestsOnce).RarelyViolates(watches.InitialEventsEnd).
			Because("the only progress request may be lost"),
	),
})

var WatchListSixSeconds = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-six-seconds",
	Summary: "etcd tells of its progress every 5 s and bookmarks come every second: do initial events end within 6 s, as KEP-3157 has it?",
	Doc: `"It seems the maximum delay time a reflector will have to wait after receiving initial data is 6 seconds." The bookmark
timer has a jitter of a quarter of a second, and etcd's ticker leaves out a watch that was sent an event since the last tick:
its client hears of progress a whole period later. So the end may come 5 s, another 5 s and 1.25 s after the initial events if
the resource itself is written now and then, and other resources after that. An API server with the version check as it ships
(--cache v0.37.2) refuses such watches with 500 until etcd has said its version, which it asks for when it starts: the first one of a
run may come before that.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-3157 caches=1 notify=5s
		writers=1 writes=4 noise=1 noise-writes=60 noise-for=20s read=consistent keys=3 items=3 await-ready=true
		think=8s list-watchers=1 list-rounds=3 list-rv=unset list-within=6s
		mode=timed network=100us scheduling=50us horizon=1m steps=1000000`),
	About:  testbed.Reaches{"cache: end of the initial events found by the bookmark timer": 80},
	Active: testbed.Active{"list-within=1s": ""},
	Claims: []*testbed.Property{watches.InitialEventsEnd, watches.InitialEvents},
	Known: slices.Concat(
		known.When(known.EndsByTimer).Violates(watches.InitialEventsEnd).
			Because("etcd's ticker and the bookmark timer together take longer"),
		known.When(known.AwaitsNotifications).Violates(watches.InitialEventsEnd).
			Because("etcd's ticker leaves out a watch that was sent an event since the last tick"),
		known.When(known.RequestsOnce).RarelyViolates(watches.InitialEventsEnd).
			Because("etcd may forget the only progress request, and its ticker comes too late"),
		known.Rarely(known.Violating(known.NoProgress(known.WaitsForInitialEvents), watches.InitialEventsEnd)),
		known.Rarely(known.EarlyInitialEvents(watches.InitialEvents)),
	),
})
