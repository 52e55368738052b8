package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var FullWatchesAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "full-watches-at-rest",
	Summary: "slow clients with channels of one event, until nothing more can happen: watchers are ended or drained, and nothing of them is left",
	Doc: `A watcher whose channel is full holds up the dispatcher for as long as its budget lasts. Then it is ended; one with the bookmark
in its channel that ends its initial events is drained first, which the bookmark timer brings about here in every design
(initial-events-end=timer). Whichever way a watcher goes, its client hears of it, its place is free again, and
the other watchers are sent every event.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic initial-events-end=timer watch-buf=1 incoming=1
		ring=3
		writers=2 writes=5 deletes=true noise=1 noise-writes=1 readers=1 reads=2 read=consistent watchers=2 keys=3
		items=2 await-ready=true list-watchers=2 list-rounds=2 list-rv=every list-slow=true
		breaks=1 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: full channel blocks ingestion": 45},
	Claims: []*testbed.Property{
		watches.KeepUp, watches.BookmarksCome, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.EventTypes, watches.Ordered, watches.Unique,
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic
		writers=3 writes=14 deletes=true read=consistent watchers=2 leave=2 keys=3 items=2 await-ready=true
		list-watchers=3 list-rounds=2 list-rv=every list-slow=true to-rest=true steps=20000`),
	About: testbed.Reaches{
		"cache: end of the initial events found by the bookmark timer": 70, "cache: blocked watcher terminated": 40,
	},
	Claims: []*testbed.Property{
		caches.WatchEnds, watches.KeepUp, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.EventTypes, watches.Ordered, watches.Unique, watches.Reliable,
	},
	Known: slices.Concat(
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.BackInTime(caches.WatchEnds),
	),
})

var RecreatedAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recreated-at-rest",
	Summary: "a cache is replaced by a new one while clients watch with timeouts, until nothing more can happen: each watch of the old one has ended",
	Doc: `As in recreated-cache the process and its connections go on. Clients that come and go leave places free among the watchers,
and their timers run. A watch that the new cache does not know of would be open for ever, and its client would be sent nothing
(kubernetes/kubernetes#78029).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic
		writers=2 writes=4 deletes=true noise=1 noise-writes=1 readers=1 reads=2 read=consistent watchers=4 leave=2
		watch-for=1m40s keys=2 items=2 list-watchers=1 list-rounds=2 list-rv=every
		recreations=2 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: watch ended because its cache was replaced": 30},
	Claims: []*testbed.Property{
		watches.KeepUp, watches.BookmarksCome, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.EventTypes, watches.Ordered, watches.Unique,
		watches.Reliable, watches.Resumable,
		caches.TimersOwned,
	},
	Known: known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
})
