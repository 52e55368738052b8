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

// informerClaims are what every informer is held to, contentClaims those about what it
// holds, and streamedClaims what it is held to if it streams its list.
var (
	contentClaims  = []*testbed.Property{informers.MatchEtcd, informers.Monotonic, informers.CatchUp}
	informerClaims = append([]*testbed.Property{informers.Resumes, informers.TriesAgain}, contentClaims...)
	streamedClaims = append([]*testbed.Property{watches.InitialEvents}, informerClaims...)
)

var InformerColdStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-cold-start",
	Summary: "informers stream their list from API servers that have just started, or start again meanwhile (KEP-3157)",
	Doc: `A cache that has not listed yet refuses a WatchList with 429, so the informer backs off and asks again. The stream
begins with synthetic ADDED events and ends with a bookmark. With informer-list=list-watch the first list names
resourceVersion "0" and a limit, and a cold cache has etcd answer it in pages (KEP-3157, "Steps followed by informers").`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 1, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 3, Items: 3},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, Page: 2}},
		Faults:    faults.Options{Restarts: 1},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.Rarely(known.StaleRelist()),
	),
})

var InformerResume = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-resume",
	Summary: "watches of informers break, and are resumed at the last resourceVersion",
	Doc: `An informer that is cut off watches again behind the last event or bookmark that it took. It must miss nothing and see
nothing twice, whichever way it listed.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{InformerBreaks: 4},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: informerClaims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.StaleRelist()),
})

var InformerExpired = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-expired",
	Summary: "the history that an informer needs is gone (410), or the API server is behind it (504): it lists again, then with RV=\"\"",
	Doc: `Caches remember two events, and etcd compacts. A watch that is resumed too late ends with 410. The list that follows names
the last resourceVersion: a cache that is as far serves it; one that is not answers 504 after three seconds, ten times with a
second in between. Only then does the informer ask for the newest state. KEP-3157's appendix has RV="" follow the first 410;
client-go does not. What happens where lists come in pages is in informer-relist-loop.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("ring=2"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 3,
			Compactions: 2,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{InformerBreaks: 4},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: informerClaims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.CompactedDeletions(informers.MatchEtcd, informers.CatchUp), known.StaleRelist()),
})

var InformerMoves = testbed.RegisterScenario(&testbed.Scenario{
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

var InformerTimeTravel = testbed.RegisterScenario(&testbed.Scenario{
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
	Claims: informerClaims,
	Known:  slices.Concat(known.AnyVersion(informers.Monotonic), known.BackInTime(contentClaims...)),
})

var InformerDetector = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-detector",
	Summary: "the reflector compares what it was streamed with an exact list, in front of a cache that has lost an event",
	Doc: `client-go's data consistency detector (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR) before a cache that has lost an event on the
way from etcd. An informer that streams its list from that cache afterwards has to panic; no other informer may. The detector
does not look at what comes later on the stream. client-go assumes that an exact list comes from etcd; a cache with snapshots
(KEP-4988, Kubernetes 1.34 and later) answers it from the same state that it has streamed, and the detector finds nothing.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 2, Writes: 3, Read: "consistent", Keys: 2, Items: 1},
		Informers: testbed.InformerOptions{Count: 3, Options: informer.Options{List: informer.ByWatchList, Check: true}},
		Faults:    faults.Options{LostEvents: 1, InformerRestarts: 2},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{informers.DetectorAccuracy, informers.MatchEtcd},
	Known: slices.Concat(
		known.When().Violates(informers.MatchEtcd).
			Because("an event is lost, and a difference that comes after the list is not looked for"),
		known.When(known.KeepsSnapshots, known.TrustsEtcd).Violates(informers.DetectorAccuracy).
			Because("the exact list of the detector is answered from the same state that was streamed"),
	),
})

var InformerFallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-fallback",
	Summary: "API servers that do not know sendInitialEvents: informers list instead, and miss nothing",
	Doc: `The gate WatchList is off in the API servers and on in client-go: a WatchList is refused as invalid (KEP-3157, "Version Skew
Strategy"). The informer lists, whatever the error was, and tries to stream again the next time that it has to list.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings:  option.Settings("watch-list=disabled"),
		Topology:  topology.Options{Servers: 2},
		Workload:  workload.Options{Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 3},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, Page: 2}},
		Faults:    faults.Options{InformerBreaks: 2, InformerRestarts: 1, Restarts: 1},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: informerClaims,
	Known: slices.Concat(
		known.EarlyProgress(informers.MatchEtcd, informers.CatchUp),
		known.BackInTime(contentClaims...),
		known.StaleRelist(),
	),
})

var InformerRelistLoop = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-relist-loop",
	Summary: "an informer that once listed in pages never recovers from a 410: it lists the same old state for ever (kubernetes #133810)",
	Doc: `A cold cache has etcd answer the first list, in pages. From then on client-go lists in pages whatever it asks for
(paginatedResult), and a resourceVersion with a limit and without a match means exactly that one. So after a 410 the list
that was to be "at least as fresh" is the very state that the informer has, and the watch from there ends with 410 again,
until etcd compacts that revision five minutes later (kubernetes/kubernetes#133810, open). It holds with
informer-list=watch-list, where the first list fits a page, where a list says resourceVersionMatch=NotOlderThan
(informer-not-older=true), and in the flow of KEP-3157's appendix, in which RV="" follows the 410 at once
(informer-newest=true).`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 1, Writes: 20, Read: "consistent", Keys: 2, Items: 3, Think: time.Second},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{List: informer.ByListWatch, Page: 1}},
		Faults:    faults.Options{Restarts: 2, For: 8 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 4 * time.Minute,
			Steps: 200_000,
		},
	},
	Claims: informerClaims,
	Known: known.When().Violates(informers.CatchUp).
		Because("an informer that once listed in pages asks for exactly the state that it has (kubernetes/kubernetes#133810)"),
})

var InformerOutages = testbed.RegisterScenario(&testbed.Scenario{
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
	Known:  slices.Concat(known.BackInTime(append([]*testbed.Property{watches.InitialEvents}, contentClaims...)...), known.Rarely(known.StaleRelist())),
})

var InformerMemory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-memory",
	Summary: "informers get all objects of 1 MB at the same time: memory for streams against memory for LISTs (KEP-3157)",
	Doc: `Bytes are counted (see "metrics" of simrun run --json). With items=400 and informers=16 or 1024 it is the manual test of
KEP-3157: with LISTs (informer-list=list-watch) 16 informers took an API server down, with streams 1,024 did not.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 1, Writes: 4, Read: "consistent", AwaitReady: true, Keys: 2, Items: 20, Think: time.Second},
		Informers: testbed.InformerOptions{ObjectBytes: 1_000_000, Count: 4, Options: informer.Options{List: informer.ByWatchList}},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 10 * time.Minute,
			Steps: 10_000_000,
		},
	},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})

var InformerRefusals = testbed.RegisterScenario(&testbed.Scenario{
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

var InformerOverload = testbed.RegisterScenario(&testbed.Scenario{
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
	Claims: informerClaims,
	Known: slices.Concat(
		known.BackInTime(contentClaims...),
		known.When(known.EchoProves, known.NoProgressBelowStart, known.WaitsUntilFresh).RarelyViolates(informers.CatchUp).
			Because("no echo comes for the watch of a cache that begins on a quiet store, and lists of the newest state are refused (the fix of etcd-io/etcd#20221)"),
		known.Rarely(known.StaleRelist()),
	),
})
