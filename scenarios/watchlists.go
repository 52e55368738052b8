package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var WatchListBehind = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-behind",
	Summary: "informers start at an API server whose cache is behind, beside one that is fresh (KEP-3157, step 2b)",
	Doc: `The watch of one of two API servers gets nothing for up to thirty seconds, while objects are written. The bookmark timer
finds the end of initial events, as KEP-3157 has it: an informer that starts at this API server is sent an old state at once, and
the end of it when the cache has caught up; the channel of its watcher fills with what the cache takes in then. The options that
the document keeps for beta are values of initial-events-buffer. With close-enough such a watch does not begin: after ten seconds
the connection is torn down, and the informer connects to the other API server. The figures are in scenarios/watchlists.md.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-3157",
		Settings: option.Settings("watch-buf=8", "list-cap=600", "notify=5s"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 60, Think: 500 * time.Millisecond, Deletes: true, Read: "consistent", Keys: 10, Items: 10,
			AwaitReady: true,
		},
		Informers: testbed.InformerOptions{Count: 4, Options: informer.Options{List: informer.ByWatchList}},
		Faults:    faults.Options{Clog: true, InformerRestarts: 8, For: 30 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 20 * time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second,
			Steps: 400_000,
		},
	},
	Claims: []*testbed.Property{watches.InitialEvents, informers.MatchEtcd, informers.Monotonic, informers.CatchUp},
	Known: slices.Concat(
		known.EarlyInitialEvents(watches.InitialEvents, informers.MatchEtcd, informers.CatchUp),
		known.When(known.InjectsEvents).Violates(watches.InitialEvents).
			Because("an initial event may follow a newer one of the same object (KEP-3157)"),
	),
})

var WatchListEmptied = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-emptied",
	Summary: "clients ask for initial events while the only object comes and goes: no watch is sent a deletion that its initial events have, timed",
	Doc: `The cache has taken in the deletion, and its dispatcher has not sent it on, when a watch begins with the state: there are no initial
events, and the deletion is in the channel of the watch soon after. A watch drops what is not newer than its state. In Kubernetes 1.7 it went by
the initial events alone, and with none it sent the deletion (kubernetes/kubernetes#49745). Clients ask for what is as new as etcd, so that they wait for the very
event.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 15, Deletes: true, Think: 100 * time.Millisecond, Read: "consistent", AwaitReady: true, Keys: 1, Items: 1,
			ListWatch: workload.ListWatchOptions{Clients: 4, Rounds: 6, RV: "unset"},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 20 * time.Millisecond, Scheduling: 5 * time.Millisecond, Horizon: 20 * time.Second,
			Steps: 100_000,
		},
	},
	Draws: []option.Range{
		option.From("list-watchers", "2", "6"), option.From("list-rv", "0", "given", "every"), option.From("writers", "2"),
		option.From("caches", "2"), option.From("keys", "2"),
	},
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
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 6, Deletes: true, Read: "consistent", Present: 2, Presents: 3, AwaitReady: true, Keys: 2, Items: 2,
		},
		Faults: faults.Options{Breaks: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("present-watchers", "1", "3"), option.From("present-watches", "1", "4"), option.From("writes", "3", "10"),
		option.From("breaks", "0", "2"), option.From("keys", "1", "3"),
	},
	Claims: []*testbed.Property{
		watches.Established, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable,
		watches.EventTypes,
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
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-3157",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 300, NoiseFor: 30 * time.Second, Read: "consistent", Keys: 3, Items: 3, AwaitReady: true,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, RV: informer.RVNewest}},
		Faults:    faults.Options{InformerRestarts: 4, For: 25 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second,
			Steps: 400_000,
		},
	},
	Claims: []*testbed.Property{informers.CatchUp, informers.MatchEtcd, watches.InitialEvents},
	Known: slices.Concat(
		known.EarlyInitialEvents(watches.InitialEvents, informers.MatchEtcd),
		known.When(known.EndsByTimer, testbed.Unless(known.EtcdNotifies), testbed.Unless(known.DetectsNotifications), testbed.Unless(known.InformersLosePatience)).Violates(informers.CatchUp).
			Because("no progress is requested for a watch with initial events, and nothing else ends them (kubernetes/kubernetes#122805)"),
		known.UnknownRequests(known.WaitsForInitialEvents, informers.CatchUp),
	),
})
