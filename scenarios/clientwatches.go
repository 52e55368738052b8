package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var ResumedWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "resumed-watch",
	Summary: "clients watch, leave and come back to an API server that has restarted: no event is lost, none comes twice",
	Doc: `A cache that has just listed remembers no events. A client that comes back with an earlier resourceVersion has to be refused
(410), unless nothing happened since. That bound was off by one in kubernetes/kubernetes#49956, and was missing
in etcd-io/etcd#20488. Deletions are among the events, because a client goes on from the resourceVersion that the last
event carried (kubernetes/kubernetes#58545).`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 8, Deletes: true, Read: "consistent", Watchers: 2, Leave: 2, AwaitReady: true,
			Keys: 2, Items: 2,
		},
		Faults: faults.Options{Restarts: 2},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable,
		watches.EventTypes, caches.JustifiedRefusals,
	},
	Known: slices.Concat(
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
	),
})

var WatchDuringRelist = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-during-relist",
	Summary: "clients begin to watch while the cache lists again, because etcd compacted what its own watch still had to get",
	Doc: `The cache's watch breaks and is compacted before it resumes: the cache lists again, ends the watches that it knows, and
forgets its history. A watch that asked before and gets the locks after must not be registered: it would miss the events
in between (kubernetes/kubernetes#116122).`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 8, Read: "consistent", Watchers: 3, Leave: 1, AwaitReady: true, Keys: 2, Items: 1,
			Compactions: 4,
		},
		Faults: faults.Options{Breaks: 4},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable,
		watches.EventTypes, caches.JustifiedRefusals,
	},
	Known: slices.Concat(
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
	),
})

var RelistOfSmallHistory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "relist-of-small-history",
	Summary: "a cache that remembers three events lists again, and clients go on from events and from bookmarks: each gets every event, or a 410",
	Doc: `As watch-during-relist, but the history loses events by itself as well, before the list and after it. A client that comes back
may give a resourceVersion from before the list, from after it, or one at which nothing happened, from a bookmark. Below the oldest
event that the history has, or below the list if it has lost none since, the answer is 410; from there on nothing may be missing. Until
nothing more can happen, so that a watch that falls silent shows.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "ring=3"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 8, Deletes: true, Noise: 1, NoiseWrites: 3, Readers: 1, Reads: 2, Read: "consistent",
			Watchers: 3, Leave: 2, AwaitReady: true, Keys: 2, Items: 1, Compactions: 2,
		},
		Faults: faults.Options{Breaks: 3},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.EventTypes,
		watches.KeepUp, caches.JustifiedRefusals, caches.NothingLeft, caches.Resumes,
		caches.TimersOwned,
	},
	Known: slices.Concat(
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
		known.Rarely(known.EarlyProgress(watches.Bookmarkable)),
		known.RepeatedByClient(watches.Bookmarkable),
	),
})

var ShrinkingHistory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "shrinking-history",
	Summary: "the history of a cache grows in bursts of writes and shrinks when it is quiet, while clients leave and come back: no young event is lost",
	Doc: `The history begins with two events. It doubles before it would lose one that is younger than 75 s, and is halved when all but
the newest quarter is older. Clients leave after every second event and come back a second later: what came meanwhile is younger than that, so
that 410 is no answer, however often the history has shrunk before.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("ring=2"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 6, Writes: 5, Deletes: true, Readers: 1, Reads: 4, Read: "every", Watchers: 3, Leave: 2,
			Keys: 6, Items: 2, Think: 100 * time.Second,
		},
		Faults: faults.Options{For: time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 5 * time.Millisecond, Scheduling: time.Millisecond, Horizon: 8 * time.Minute, Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.EventTypes, caches.JustifiedRefusals,
	},
	Known: known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
})

var RecreatedCache = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recreated-cache",
	Summary: "the definition of a custom resource changes: its cache is replaced by a new one while informers watch",
	Doc: `The API server stops the cache and makes another one; the process and its connections go on. Watches of the old one have to
end, or their clients wait for events that are never sent (kubernetes/kubernetes#78029: hung for hours, until the watch
timed out).`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 1, Writes: 4, Deletes: true, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{Recreations: 2},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: informers.Claims,
})
