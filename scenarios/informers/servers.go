package informers

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

var Moves = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-moves",
	Summary: "informers restart and move between API servers, and ask for RV=\"\": they never go back in time",
	Doc: `What KEP-3157 promises of a stream with resourceVersion "": a process that has forgotten everything is not shown an older
state than the one before it, whichever API server it comes to (kubernetes/kubernetes#59848). See informer-time-travel.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 2},
		Workload:  workload.Options{Writers: 2, Writes: 3, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, RV: informer.RVNewest}},
		Faults:    faults.Options{InformerBreaks: 2, InformerRestarts: 3, Restarts: 1},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.Rarely(known.StaleRelist()),
	),
})

var TimeTravel = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-time-travel",
	Summary: "the same with RV=\"0\", as client-go lists: a restarted informer goes back in time (kubernetes #59848)",
	Doc: `The first list of a process names resourceVersion "0": any state will do. If the next API server has a cache that
is behind, the informer shows its handlers objects that it had reported as deleted.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 2},
		Workload:  workload.Options{Writers: 2, Writes: 3, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch, RV: informer.RVAny}},
		Faults:    faults.Options{InformerBreaks: 2, InformerRestarts: 3, Restarts: 1},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: Claims,
	Known:  slices.Concat(known.AnyVersion(informers.Monotonic), known.BackInTime(contentClaims...)),
})

var Outages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-outages",
	Summary: "informers, API servers and etcd restart and watches break; a quarter of an hour later every informer has everything",
	Doc: `With a clock: backoff with its jitter, Retry-After, watches that time out after five to ten minutes, and the eleven tries of
a request that is refused. Once nothing breaks any more, every informer must have caught up by the end.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("ring=4"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 1, Writes: 12, Deletes: true, Noise: 1, NoiseWrites: 10, NoiseFor: 20 * time.Second,
			Read: "consistent", Keys: 3, Items: 3, Think: 2 * time.Minute,
		},
		Informers: testbed.InformerOptions{Count: 3, Options: informer.Options{List: informer.ByWatchList}},
		Faults:    faults.Options{InformerBreaks: 4, InformerRestarts: 2, Breaks: 2, Restarts: 2, EtcdRestarts: 1, For: 30 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 40 * time.Minute,
			Steps: 200_000,
		},
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.BackInTime(append([]*testbed.Property{watches.InitialEvents}, contentClaims...)...),
		known.RefusedStreams(),
	),
})

var Refusals = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-refusals",
	Summary: "API servers refuse requests of informers and end their watches: 429 with and without Retry-After, 500, 410",
	Doc: `What an informer does next is in client-go's Reflector and in the request below it: after 429 the same watch again, after
Retry-After or a pause; after 500 and 410 a list that names the last resourceVersion; after 410 to a list the newest state; and a LIST in
place of a WatchList that is refused otherwise. Some comparisons of the consistency detector are refused, too, and made again. An API
server that does not say that it is ready is left for the next one.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 2},
		Workload:  workload.Options{Writers: 1, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", AwaitReady: true, Keys: 3, Items: 3},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, Page: 2, Check: true}},
		Faults:    faults.Options{InformerRefusals: 6, InformerBreaks: 2, Restarts: 1},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: append([]*testbed.Property{informers.DetectorAccuracy}, streamedClaims...),
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.When(known.ProgressOvertakesEvents, known.RequestsProgress, known.KeepsSnapshots, known.TrustsEtcd).
			RarelyViolates(informers.DetectorAccuracy).
			Because("the exact list of the detector is answered from the same state that was streamed"),
		known.Rarely(known.StaleRelist()),
	),
})

var Overload = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-overload",
	Summary: "API servers refuse the requests of informers for minutes: each informer pauses longer and longer, up to a minute, and catches up",
	Doc: `With a clock. A request that is refused with Retry-After is sent again ten times; then the Reflector pauses, twice as long each
time, from 0.8 to 30 seconds and up to as much again. Watches end after five to ten minutes, and are resumed at the last
resourceVersion, by a bookmark if nothing was written.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-4988",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 1, Writes: 6, Deletes: true, Noise: 1, NoiseWrites: 10, NoiseFor: time.Minute,
			Read: "consistent", Keys: 2, Items: 3, Think: 4 * time.Minute,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{InformerRefusals: 60, InformerBreaks: 2, Restarts: 1, For: 15 * time.Minute},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 30 * time.Minute,
			Steps: 200_000,
		},
	},
	Claims: Claims,
	Known: slices.Concat(
		known.BackInTime(contentClaims...),
		known.When(known.EchoProves, known.NoProgressBelowStart, known.WaitsUntilFresh).RarelyViolates(informers.CatchUp).
			Because("no echo comes for the watch of a cache that begins on a quiet store, and lists of the newest state are refused (the fix of etcd-io/etcd#20221)"),
		known.Rarely(known.StaleRelist()),
	),
})

var VersionSkew = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-version-skew",
	Summary: "an API server that does not know sendInitialEvents beside one that does: informers move between them, list and stream, and miss nothing",
	Doc: `The gate WatchList is off in the first API server, which was not upgraded yet (KEP-3157, "Version Skew Strategy"; see
informer-fallback). An informer that comes to it is refused its stream and lists, and streams again when it comes to the other server
and has to list. It knows nothing of servers: what it holds never goes back in time, and nothing is missed on the way.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 2, ServerSettings: []string{"cache-1:watch-list=disabled"}},
		Workload:  workload.Options{Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 3},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, RV: informer.RVNewest, Page: 2}},
		Faults:    faults.Options{InformerBreaks: 3, InformerRestarts: 2, Restarts: 2},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.StaleRelist(),
	),
})

var QuietResource = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-quiet-resource",
	Summary: "informers of a resource that nothing writes lose their API server for one that started later: bookmarks spare them the list",
	Doc: `An API server that has started takes a watch only from a resourceVersion that is as new as its own list. Other resources are
written, so that without bookmarks the resourceVersion of an informer falls behind each minute that it watches; with them it is a minute
old at most. Both API servers start again within half an hour. LISTs are counted: --set informer-no-bookmarks=true is an informer without
bookmarks, which has the same contents in the end, and lists more often.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "v0.37.2",
		Settings: option.Settings("notify=5s"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 180, NoiseFor: 30 * time.Minute, Read: "consistent", Keys: 2, Items: 3, AwaitReady: true,
		},
		Informers: testbed.InformerOptions{Count: 4},
		Faults:    faults.Options{Restarts: 4, For: 30 * time.Minute},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 40 * time.Minute, Steps: 1_000_000,
		},
	},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})
