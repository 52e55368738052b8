package watchlists

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var WithoutProgress = testbed.RegisterScenario(&testbed.Scenario{
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
