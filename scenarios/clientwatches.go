package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var ResumedWatch = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "resumed-watch",
	Summary: "clients watch, leave and come back to an API server that has restarted: no event is lost, none comes twice",
	Doc: `A cache that has just listed remembers no events. A client that comes back with an earlier resourceVersion has to be refused
(410), unless nothing happened since. That bound was off by one in kubernetes/kubernetes#49956, and was missing
in etcd-io/etcd#20488. Deletions are among the events, because a client goes on from the resourceVersion that the last
event carried (kubernetes/kubernetes#58545).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=8 deletes=true read=consistent watchers=2 leave=2 keys=2 items=2 await-ready=true
		restarts=2 steps=20000`),
	About: testbed.Reaches{"clientv3: the process restarts": 75, "cache: watch begins in the history": 70},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=12 read=consistent watchers=3 leave=1 compactions=8 compact-newest=true keys=2 items=1 await-ready=true
		breaks=8 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: watch ended by a relist": 40, "cache: watch ended by compaction": 40},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable,
		watches.EventTypes, caches.JustifiedRefusals, caches.CatchUp, caches.Resumes,
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic ring=3
		writers=1 writes=8 deletes=true noise=1 noise-writes=3 readers=1 reads=2 read=consistent watchers=3 leave=2
		compactions=4 compact-newest=true keys=2 items=1 await-ready=true breaks=4 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: watch ended by a relist": 45},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.EventTypes,
		watches.KeepUp, caches.JustifiedRefusals, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, caches.Resumes,
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
that 410 is no answer, however often the history has shrunk before. It has room for six events at most.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 ring=2 ring-max=6
		writers=6 writes=5 deletes=true readers=1 reads=4 read=every watchers=3 leave=2 keys=6 items=2 think=1m40s
		faults-for=1s mode=timed network=5ms scheduling=1ms horizon=8m steps=200000`),
	About:  testbed.Reaches{"cache: history doubled": 75, "cache: history halved": 20},
	Active: testbed.Active{"ring-max=3": ""},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.EventTypes, caches.JustifiedRefusals, caches.BacklogBounded,
	},
	Known: known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
})

var RecreatedCache = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recreated-cache",
	Summary: "the definition of a custom resource changes: its cache is replaced by a new one while informers watch",
	Doc: `The API server stops the cache and makes another one; the process and its connections go on. Watches of the old one have to
end, or their clients wait for events that are never sent (kubernetes/kubernetes#78029: hung for hours, until the watch
timed out).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 writers=1 writes=4 deletes=true read=consistent keys=2 items=2 informers=2
		recreations=2 steps=20000`),
	About:  testbed.Reaches{"cache: watch ended because its cache was replaced": 20},
	Claims: informers.Claims,
})
