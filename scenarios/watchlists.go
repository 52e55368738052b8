package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var WatchListBehind = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-behind",
	Summary: "informers start at an API server whose cache is behind, beside one that is fresh (KEP-3157, step 2b)",
	Doc: `The watch of one of two API servers gets nothing for up to thirty seconds, while objects are written. The bookmark timer
finds the end of initial events, as KEP-3157 has it: an informer that starts at this API server is sent an old state at once, and
the end of it when the cache has caught up; the channel of its watcher fills with what the cache takes in then. The options that
the document keeps for beta are values of initial-events-buffer. With close-enough such a watch does not begin: after ten seconds
the connection is torn down, and the informer connects to the other API server. The figures are in scenarios/watchlists.md.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-3157 caches=2 watch-buf=8 list-cap=600 notify=5s
		writers=2 writes=60 deletes=true read=consistent keys=10 items=10 await-ready=true think=500ms informers=4
		informer-list=watch-list
		clog=true informer-restarts=8 faults-for=30s mode=timed network=20ms scheduling=500us horizon=1m steps=400000`),
	About: testbed.Reaches{"informer: change among the initial events": 80},
	Active: testbed.Active{
		"close-enough-timeout=1s": "initial-events-buffer=close-enough",
		"list-cap=100":            "initial-events-buffer=cap",
	},
	Claims: []*testbed.Property{watches.InitialEvents, informers.MatchEtcd, informers.Monotonic, informers.CatchUp},
	Known: slices.Concat(
		known.EarlyInitialEvents(watches.InitialEvents, informers.MatchEtcd, informers.CatchUp),
		known.BackInTime(informers.Monotonic),
		known.When(known.InjectsEvents).Violates(watches.InitialEvents).
			Because("an initial event may follow a newer one of the same object (KEP-3157)"),
		known.RefusedStreams(known.StartsBeforeCheck),
	),
})

var WatchListEmptied = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-emptied",
	Summary: "clients ask for initial events while the only object comes and goes: no watch is sent a deletion that its initial events have, timed",
	Doc: `The cache has taken in the deletion, and its dispatcher has not sent it on, when a watch begins with the state: there are no initial
events, and the deletion is in the channel of the watch soon after. A watch drops what is not newer than its state. In Kubernetes 1.7 it went by
the initial events alone, and with none it sent the deletion (kubernetes/kubernetes#49745). Clients ask for what is as new as etcd, so that they wait for the very
event.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=15 deletes=true read=consistent keys=1 items=1 await-ready=true think=100ms list-watchers=4
		list-rounds=6 list-rv=unset mode=timed network=20ms scheduling=5ms horizon=20s steps=100000`),
	Draws: option.Ranges(`list-watchers=2|6 list-rv=0|given|every writers=2 caches=2 keys=2`),
	About: testbed.Reaches{"cache: event dispatched that the interval had": 70},
	Claims: []*testbed.Property{
		watches.InitialEvents, watches.EventTypes, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable,
	},
	Known: slices.Concat(
		known.Rarely(known.EarlyInitialEvents(watches.InitialEvents, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable)),
		known.RepeatedByClient(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
	),
})

var WatchListEstablished = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-established",
	Summary: "clients watch from now on, without the present state, while others write: nothing is lost after the watch is established",
	Doc: `A client that asks for no initial events and names no revision does not know where its watch begins. It relies on the HTTP 200:
Cacher.Watch returns when it has read etcd's revision, if the client gives no resourceVersion, and has registered the watcher. At resourceVersion "0" the
watch begins wherever the cache is then. The cache may list again in between, etcd may be slow to say its revision, and the client may leave.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=2 writes=6 deletes=true read=consistent present-watchers=2 present-watches=3 keys=2 items=2
		await-ready=true breaks=1 to-rest=true steps=20000`),
	Draws: option.Ranges(`present-watchers=1|3 present-watches=1|4 writes=3|10 breaks=0|2 keys=1|3`),
	About: testbed.Reaches{"cache: client told that its watch is established": 70},
	Claims: []*testbed.Property{
		watches.Established, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable,
		watches.EventTypes, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp,
	},
	Known: known.RepeatedByClient(watches.Bookmarkable),
})

var WatchListWithoutProgress = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-without-progress",
	Summary: "an etcd that sends no progress by itself, and informers that stream a resource which nothing writes (KEP-3157, Beta)",
	Doc: `The bookmark timer finds the end of initial events, as KEP-3157 has it, and etcd runs without
--experimental-watch-progress-notify-interval: nothing tells the cache that it is as new as etcd was when the watch began, until the
resource is written, and the informer never syncs. client-go says so in its log every ten seconds and waits. What the document asks for
is watch-list-detection: the API server refuses the stream while it hears of no progress, and the informer lists. It has to leave out
what it has asked for (unasked): the LIST of an informer that wants the newest state itself asks, and the answer looks like any other
progress (notified). client-go's first LIST takes any state (--set informer-rv=client-go), and asks for nothing.
informer-stream-patience lets the informer itself list after a time. As shipped (initial-events-end=interval) the cache asks for progress, and
version-check refuses streams on an etcd that does not answer rightly. The verdicts are in scenarios/watchlists.md; set notify=5s to
have etcd send progress.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-3157 caches=2
		noise=1 noise-writes=300 noise-for=30s read=consistent keys=3 items=3 await-ready=true informers=2
		informer-list=watch-list informer-rv=unset
		informer-restarts=4 faults-for=25s mode=timed network=1ms scheduling=500us horizon=1m steps=400000`),
	About:  testbed.Reaches{"informer: watch ended by its timeout": 60},
	Active: testbed.Active{"notified-within=1s": "watch-list-detection=notified"},
	Claims: []*testbed.Property{informers.CatchUp, informers.MatchEtcd, watches.InitialEvents},
	Known: slices.Concat(
		known.EarlyInitialEvents(watches.InitialEvents, informers.MatchEtcd),
		known.When(known.EndsByTimer, testbed.Unless(known.EtcdNotifies), testbed.Unless(known.DetectsNotifications), testbed.Unless(known.InformersLosePatience)).Violates(informers.CatchUp).
			Because("no progress is requested for a watch with initial events, and nothing else ends them (kubernetes/kubernetes#122805)"),
		known.UnknownRequests(known.WaitsForInitialEvents, informers.CatchUp),
	),
})
