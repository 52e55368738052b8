package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Txns: true, Noise: 1, NoiseWrites: 2, Read: "consistent", Keys: 3,
			Items: 3, ListWatch: workload.ListWatchOptions{Clients: 2, Rounds: 3, RV: "every"},
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 40_000},
	},
	Claims: append([]*testbed.Property{watches.EventTypes, caches.JustifiedRefusals}, watchListClaims...),
	Known:  slices.Concat(known.EarlyInitialEvents(watches.InitialEvents), everyWatchList),
})

var WatchListStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-start",
	Summary: "the caches themselves begin by a watch with initial events, in pages, while streams break, processes restart and etcd compacts",
	Doc: `Since Kubernetes 1.35 the reflector below the cacher asks etcd's storage for initial events instead of listing. That lists
in etcd all the same, page by page, and watches behind the list; the bookmark that ends the initial events makes the cache ready. What
was listed is worth nothing if the stream ends before. --set reflector-list=list is how it was.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "v0.37.2",
		Settings: option.Settings("reflector-list=watch-list", "page=2", "client-buf=2"),
		Topology: topology.Options{Servers: 2, ClientKV: true},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 2, Readers: 2, Reads: 3, Read: "consistent",
			Keys: 3, Items: 4, Compactions: 1, Watchers: 1,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "every"},
		},
		Faults: faults.Options{Breaks: 2, Restarts: 2, EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 40_000},
	},
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("watch-buf=2"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 6, Deletes: true, Read: "consistent", Keys: 4, Items: 4, AwaitReady: true,
			ListWatch: workload.ListWatchOptions{Clients: 2, Rounds: 2, RV: "every", Slow: true},
		},
		Clock: testbed.Clock{Steps: 40_000},
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("watch-buf=4", "list-cap=300", "notify=5s"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 20, Think: 40 * time.Millisecond, Deletes: true, Read: "consistent", Keys: 30,
			Items: 30, AwaitReady: true,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "unset", Slow: true, Pace: 10 * time.Millisecond},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 100 * time.Microsecond, Horizon: 30 * time.Second,
			Steps: 400_000,
		},
	},
	Claims: []*testbed.Property{watches.InitialEvents, caches.TimersOwned},
	Known:  slices.Concat(inject, known.Rarely(known.EarlyInitialEvents(watches.InitialEvents))),
})

var WatchListHeldUp = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-held-up",
	Summary: "clients of watches take one event in five milliseconds, and the dispatcher of their cache waits for them, timed",
	Doc: `Four writers write at about the same time and then pause for seconds. The channels of a watch hold one event each, so that
they are soon full: the dispatcher is blocked, and goes on when the client has taken an event. Meanwhile no other watch of the cache is sent
anything. The dispatcher earns 50 ms a second for that, up to 100 ms (storage/cacher, timeBudget), and gets back what it did not use.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("watch-buf=1"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 4, Writes: 4, Think: 4 * time.Second, Read: "consistent", Keys: 3, Items: 3, AwaitReady: true,
			ListWatch: workload.ListWatchOptions{Clients: 2, Rounds: 1, RV: "unset", Slow: true, Pace: 5 * time.Millisecond},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 100 * time.Microsecond, Horizon: 30 * time.Second,
			Steps: 200_000,
		},
	},
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 40, NoiseFor: 8 * time.Second, Read: "consistent", Items: 3, Keys: 3,
			AwaitReady: true, Think: 2 * time.Second,
			ListWatch: workload.ListWatchOptions{Clients: 3, Rounds: 3, RV: "unset"},
		},
		Faults: faults.Options{Breaks: 2, Restarts: 1, EtcdRestarts: 1, For: 2 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 30 * time.Second,
			Steps: 400_000,
		},
	},
	// Objects do not change, so that early progress has nothing to overtake.
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-3157",
		Settings: option.Settings("notify=5s"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 4, Noise: 1, NoiseWrites: 60, NoiseFor: 20 * time.Second, Read: "consistent",
			Items: 3, Keys: 3, AwaitReady: true, Think: 8 * time.Second,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 3, RV: "unset", Within: 6 * time.Second},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 100 * time.Microsecond, Scheduling: 50 * time.Microsecond,
			Horizon: 60 * time.Second, Steps: 1_000_000,
		},
	},
	Claims: []*testbed.Property{watches.InitialEventsEnd, watches.InitialEvents},
	Known: slices.Concat(
		known.When(known.EndsByTimer).Violates(watches.InitialEventsEnd).
			Because("etcd's ticker and the bookmark timer together take longer"),
		known.When(known.AwaitsNotifications).Violates(watches.InitialEventsEnd).
			Because("etcd's ticker leaves out a watch that was sent an event since the last tick"),
		known.When(known.RequestsOnce).RarelyViolates(watches.InitialEventsEnd).
			Because("etcd may forget the only progress request, and its ticker comes too late"),
		known.Rarely(known.EarlyInitialEvents(watches.InitialEvents)),
	),
})
