package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var FullWatchesAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "full-watches-at-rest",
	Summary: "slow clients with channels of one event, until nothing more can happen: watchers are ended or drained, and nothing of them is left",
	Doc: `A watcher whose channel is full holds up the dispatcher for as long as its budget lasts. Then it is ended; one with the bookmark
in its channel that ends its initial events is drained first, which the bookmark timer brings about here in every design
(initial-events-end=timer). Whichever way a watcher goes, its client hears of it, its place is free again, and
the other watchers are sent every event.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "initial-events-end=timer", "watch-buf=1", "incoming=1", "ring=3"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 5, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 1, Reads: 2, Read: "consistent",
			Watchers: 2, AwaitReady: true, Keys: 3, Items: 2,
			ListWatch: workload.ListWatchOptions{Clients: 2, Rounds: 2, RV: "every", Slow: true},
		},
		Faults: faults.Options{Breaks: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{
		watches.KeepUp, watches.BookmarksCome, caches.NothingLeft, watches.EventTypes, watches.Ordered, watches.Unique,
		watches.Reliable, watches.Bookmarkable,
		caches.TimersOwned,
	},
	Known: slices.Concat(
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.Rarely(known.EarlyProgress(watches.Bookmarkable)),
		known.RepeatedByClient(watches.Bookmarkable),
	),
})

var SlowWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "slow-watches",
	Summary: "clients that take one event at a time, and channels as large as they are by default: a watch ends only if its client lets as many events wait",
	Doc: `As full-watches-at-rest, with more writes and with channels for ten events, the fewest that a watcher has without
watch-buf. A client that comes back while an event is being dispatched begins a watch of its own, which has nothing to do with
the one that it has left.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 3, Writes: 14, Deletes: true, Read: "consistent", Watchers: 2, Leave: 2, AwaitReady: true, Keys: 3, Items: 2,
			ListWatch: workload.ListWatchOptions{Clients: 3, Rounds: 2, RV: "every", Slow: true},
		},
		Clock: testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{
		caches.WatchEnds, watches.KeepUp, caches.NothingLeft, watches.EventTypes, watches.Ordered, watches.Unique, watches.Reliable,
	},
	Known: known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
})

var RecreatedAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recreated-at-rest",
	Summary: "a cache is replaced by a new one while clients watch with timeouts, until nothing more can happen: each watch of the old one has ended",
	Doc: `As in recreated-cache the process and its connections go on. Clients that come and go leave places free among the watchers,
and their timers run. A watch that the new cache does not know of would be open for ever, and its client would be sent nothing
(kubernetes/kubernetes#78029).`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 1, Reads: 2, Read: "consistent",
			Watchers: 4, Leave: 2, WatchFor: 100 * time.Second, Keys: 2, Items: 2,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "every"},
		},
		Faults: faults.Options{Recreations: 2},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{
		watches.KeepUp, watches.BookmarksCome, caches.NothingLeft, watches.EventTypes, watches.Ordered, watches.Unique,
		watches.Reliable, watches.Resumable,
		caches.TimersOwned,
	},
	Known: known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
})
