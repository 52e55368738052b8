package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// stalledSafety is what every watch may rely on, however its client reads.
var stalledSafety = []*testbed.Property{
	watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable, watches.EventTypes, caches.JustifiedRefusals, caches.BacklogBounded,
}

// stalledResumed is what is known of watches whose clients come back.
var stalledResumed = slices.Concat(
	known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
	known.Rarely(known.EarlyProgress(watches.Bookmarkable)),
	known.RepeatedByClient(watches.Bookmarkable),
)

// stalledOvertaken is what is known of watches that stall twice.
var stalledOvertaken = known.When(known.OvertakenSilently).RarelyViolates(caches.WatchEnds).
	Because("a second stall finds the interval of the first one lost, and the watch ends as a new one does then (KEP-6268)")

// stalledRanges are the designs and the sizes that decide how soon a watch cannot catch up.
var stalledRanges = option.Ranges(`slow-watchers=ended|latch|reinitialised|groups watch-buf=1|2|3 ring=2|4|8 catch-up-watchers=1|2
	catch-up-units=65|66|130 catch-up-pushes=1|2`)

var StalledWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-watches",
	Summary: "clients that read at once, slowly, with one pause, and no more at all: a client that reads is sent every event or a 410, until nothing more can happen (KEP-6268)",
	Doc: `The channel of a watcher takes one event and is full with the first pause of its client, and the cache remembers four events. The option
slow-watchers (ended, latch, reinitialised or groups) says what the cache does with such a watch. With each value no event is lost, repeated or out of order,
a bookmark never overtakes an event, a 410 says that the history has passed, and a client that does not read costs its channel and no
more. A pause ends at any time, also when the history is about to lose what comes next.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic watch-buf=1 incoming=1 ring=4 catch-up-units=66
		catch-up-pushes=2
		writers=2 writes=6 deletes=true read=consistent watchers=4 keys=3 items=2 await-ready=true watch-reading=every
		to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: blocked watcher terminated": 75, "cache: full channel blocks ingestion": 40},
	Active: testbed.Active{
		"catch-up-watchers=1": "slow-watchers=groups",
		"catch-up-units=130":  "slow-watchers=groups",
		"catch-up-pushes=1":   "slow-watchers=groups",
	},
	Claims: append([]*testbed.Property{watches.KeepUp, watches.BookmarksCome, caches.WatchEnds, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, caches.TimersOwned}, stalledSafety...),
	Known:  slices.Concat(stalledResumed, stalledOvertaken),
	Draws:  stalledRanges,
})

var StalledWatchesEnd = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-watches-end",
	Summary: "as stalled-watches, with watches that time out and clients that leave: whichever way a watch ends, nothing is left of it",
	Doc: `A watch may end while its channel is full, while it catches up, and while the cache serves others. The client that has stopped
reading is gone when its time is over, and the cache forgets it (kubernetes/kubernetes#137631).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic initial-events-end=timer watch-buf=1 incoming=1
		ring=4 catch-up-units=66 catch-up-pushes=2
		writers=2 writes=6 deletes=true read=consistent watchers=4 watch-for=1m40s keys=3 items=2 await-ready=true
		watch-reading=every list-watchers=2 list-rounds=2 list-rv=every list-slow=true list-for=1m40s
		to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: watch ended by its deadline": 80, "cache: full channel blocks ingestion": 40},
	Claims: append([]*testbed.Property{caches.WatchEnds, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, caches.TimersOwned}, stalledSafety...),
	Known:  slices.Concat(stalledResumed, stalledOvertaken),
	Draws:  stalledRanges,
})

var StalledRelist = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-watches-relist",
	Summary: "as stalled-watches, while the cache lists again: a watch that is behind must not go on in the history that begins with the new list",
	Doc: `The cache's watch of etcd breaks and is compacted before it resumes. A watch that the cache does not know of while it lists is not ended
by that, and finds another history when it comes back (kubernetes/kubernetes#116122 is the same at the beginning of a
watch).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic watch-buf=1 ring=4 catch-up-units=66
		catch-up-pushes=2
		writers=2 writes=8 deletes=true read=consistent watchers=3 compactions=4 compact-newest=true keys=2 items=1
		await-ready=true watch-reading=slow breaks=4 to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: watch ended by a relist": 50},
	Claims: append([]*testbed.Property{watches.Resumable, watches.KeepUp, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, caches.TimersOwned}, stalledSafety...),
	Known:  slices.Concat(stalledResumed, known.ResumedWatches(watches.Resumable)),
	Draws:  stalledRanges,
})

var StalledNeighbours = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-neighbours",
	Summary: "what a watch that does not keep up costs: the others, which read at once, the cache, and itself (KEP-6268)",
	Doc: `Two writers with about fifty writes a second each, and watches whose channels hold ten events: some clients read at once, some take an event in
30 ms and fall behind, some pause once for up to two seconds, and some stop. As shipped the dispatcher waits for a full channel, up to 100 ms, of which it
earns 50 a second, and every other watch of the resource waits with it (delivered-undelayed). With the other values of
slow-watchers it never waits. The history holds two hundred events: a client that is slower than the writers comes to the
end of it, and is told so (410).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 ring=200 ring-max=200 watch-buf=10
		writers=2 writes=500 read=consistent watchers=8 keys=30 items=30 await-ready=true think=40ms
		watch-reading=every watch-stall-after=20 watch-pace=30ms watch-hiccup=2s watch-retries=1000
		mode=timed network=1ms scheduling=100us horizon=20s steps=4000000`),
	About: testbed.Reaches{"cache: blocked watcher caught up in time": 75, "cache: blocked watcher terminated": 80},
	Claims: []*testbed.Property{
		caches.DeliveredUndelayed, watches.Ordered, watches.Unique, watches.Reliable, watches.EventTypes, caches.JustifiedRefusals, caches.TimersOwned,
	},
	Known: slices.Concat(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.When(known.DispatcherWaits, testbed.Unless(known.IsLibrary)).Violates(caches.DeliveredUndelayed).
			Because("the dispatcher waits for a watch whose channel is full, and all others wait with it (KEP-6268)"),
		known.When(known.ServedInPasses).RarelyViolates(caches.DeliveredUndelayed).
			Because("a pass just after a miss finds the channel still full and serves nothing, and the next one comes 100 ms later (KEP-6268, revised)")),
})
