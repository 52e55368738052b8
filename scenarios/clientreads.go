package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/draws"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var QuietGet = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-get",
	Summary: "GETs of a revision that only writes to other resources have reached",
	Doc: `Noise moves etcd's revision on, and no event tells the cache. A client that learned of such a revision elsewhere
names it in a GET: the cache has to ask etcd for progress, as for a LIST. In kubernetes/kubernetes#123674 reads of one
object did not, and timed out.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 20, NoiseFor: 200 * time.Millisecond, Readers: 2, Gets: 4, Read: "not-older",
			AwaitReady: true, Items: 2, Keys: 2, Think: 100 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 20 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.NotOlderThan, caches.ServedAsPromised, caches.NeededProgress},
	Known: slices.Concat(
		known.NoProgress(known.AnswersLists),
		known.OneRequest(known.AnswersLists),
		known.Rarely(known.NoEcho(known.AnswersLists)),
	),
})

var AwaitedChange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "awaited-change",
	Summary: "reads of a revision that a change of their own resource brings, with no other write behind it",
	Doc: `A client that has learned of a write names its revision in a read before the event has come to the cache. The read waits, and
the event itself has to wake it: the progress that etcd is asked for meanwhile says nothing that the event has not said. Since
kubernetes/kubernetes#142291 UpdateResourceVersion returns early from that.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 12, Readers: 3, Gets: 4, Read: "not-older",
			AwaitReady: true, Items: 2, Keys: 2, Think: 10 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 20 * time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 20 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.NotOlderThan, caches.ServedAsPromised, caches.NeededProgress},
})

var AnyWithoutProgress = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-without-progress",
	Summary: "LISTs at resourceVersion \"0\" in front of an etcd that never answers a progress request",
	Doc: `On etcd 3.5.8 to 3.5.12 a consistent LIST of a quiet resource may hang (etcd-io/etcd#17507). One at resourceVersion "0"
needs no freshness and must not hang. In kubernetes/kubernetes#123676 it did, because it was handled as a consistent one.`,
	Params: testbed.Params{
		Etcd: "3.5.12", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 20, NoiseFor: 200 * time.Millisecond, Readers: 2, Reads: 3, Read: "any",
			AwaitReady: true, Items: 2, Keys: 2, Think: 100 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 20 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Sequential, caches.ServedAsPromised},
})

var Namespaces = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "namespaces",
	Summary: "consistent LISTs of a namespace beside another one whose name begins like it",
	Doc: `The API machinery asks the storage for "/registry/pods/team", without a "/" at the end, and "team-b" begins like that. Both
etcd's storage and the cache have to close the prefix before they compare (kubernetes/kubernetes#125584, and #25342 long
before).`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1, Namespaces: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 4,
			Items: 2,
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.NeededProgress, caches.NothingLeft},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var BusyNeighbour = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "busy-neighbour",
	Summary: "consistent LISTs of a quiet resource while another one is written faster than etcd lets its watch catch up",
	Doc: `etcd gives an unsynced watch so many revisions each 100 ms (here one, in a real etcd 1000), and answers a progress request once
all watches of its stream are synced. The busy resource's watch stays unsynced for as long as the writes go on. That must
not matter to the quiet one, and does not with a stream for each resource; on a shared one its reads time out
(kubernetes/kubernetes#114458).`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("sync-batch=1"),
		Topology: topology.Options{Servers: 1, Resources: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 40, Readers: 2, Reads: 8, Read: "consistent", Apart: true, AwaitReady: true, Items: 2,
			Keys: 2, Think: 50 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 30 * time.Second,
			Steps: 400_000,
		},
	},
	Claims: []*testbed.Property{
		reads.AnswersInTime, reads.Linearizable, caches.ServedAsPromised, caches.NeededProgress,
		caches.TimersOwned,
	},
	Known: slices.Concat(
		known.AwaitedProgress(),
		known.StaleReads(reads.Linearizable),
	),
})

var SelectedLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "selected-lists",
	Summary: "clients list and watch the objects of one writer, by a field with an index and by one without, beside all other options",
	Doc: `A write by another client moves an object from one selection to another. The cache answers by its index, or looks at each
object; etcd knows of no selectors, so that the API server asks it page after page until enough objects are selected. Whichever
way is taken, a LIST shows the objects that are selected at one revision, and pages continue where the last one ended. A watch is
sent ADDED when an object enters its selection, and DELETED with the object as it was when it leaves.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-4988",
		Settings: option.Settings("ring=4"),
		Topology: topology.Options{Servers: 1, Namespaces: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 5, Txns: true, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", AwaitReady: true,
			Keys: 4, Items: 4, Compactions: 1, Watchers: 2, Leave: 2,
			Drawn: workload.DrawnOptions{OfCache: 4, Watchers: 2, Requests: 6, Selectors: true},
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.Exact, caches.MatchEtcd,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable,
		watches.EventTypes, watches.InitialEvents, caches.InvalidRequests, caches.TimersOwned,
		caches.NothingLeft, watches.KeepUp,
	},
	Known: slices.Concat(
		known.Rarely(known.EarlyProgress(watches.Resumable, watches.Bookmarkable)),
		known.Rarely(known.EarlyInitialEvents(watches.InitialEvents)),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
		known.Rarely(known.StaleReads(reads.Linearizable, reads.LinearizableData)),
		known.Rarely(known.EarlySnapshots(reads.Exact)),
	),
})

var AnyRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-requests",
	Summary: "clients of a cache draw their LISTs, GETs and WATCHes from all that there are, anew in each run",
	Doc: `Namespaces, resourceVersions and matches with and without a continue token, limits, pages, tokens and keys that are none,
lists that bypass the cache, and watches with and without initial events, bookmarks and timeouts, while etcd is compacted and
watches break. Each client does without a random half of the
options in each run (swarm testing), and all of it is choices of the run. A revision that the run never reaches is waited for in
vain, and what no API takes is refused.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2, Namespaces: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Txns: true, Deletes: true, Noise: 1, NoiseWrites: 2, Read: "consistent", AwaitReady: true,
			Move: true, Keys: 4, Items: 3, History: 1, Compactions: 1, Watchers: 1, Leave: 2,
			Drawn: workload.DrawnOptions{OfCache: 4, Watchers: 2, Requests: 6},
		},
		Faults: faults.Options{Breaks: 2, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	// take-rests is not among them: with selectors and compactions it loses objects in every
	// release (compacted-selections), so that a draw with it would excuse the properties
	// that matter most here. --set take-rests=true has clients of this scenario do it.
	Draws: slices.Concat(
		draws.Cache, draws.Client, draws.Etcd, draws.Processes, draws.Clients, draws.Faults,
		[]option.Range{option.From("drawn-readers", "1", "2", "6"), option.From("drawn-watchers", "1", "3"), option.From("drawn-requests", "3", "10"), option.From("drawn-selectors", "true"), option.From("drawn-labels", "true"), option.From("drawn-terms", "true"), option.From("drawn-singles", "true"), option.From("drawn-keys", "true")},
	),
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.Exact, reads.Pages, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Filter,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress,
		watches.EventTypes, caches.InvalidRequests, caches.TimersOwned,
		caches.NothingLeft, watches.KeepUp,
	},
	Known: slices.Concat(
		known.Rarely(known.EarlyProgress(watches.Resumable)),
		known.Rarely(known.EarlySnapshots(reads.Exact, reads.Pages)),
		known.Rarely(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable)),
		known.Rarely(known.StaleReads(reads.Linearizable, reads.LinearizableData)),
		known.EchoOfLaggard(reads.Linearizable, reads.LinearizableData),
		known.EchoOfPredecessor(reads.Linearizable, reads.LinearizableData),
	),
})
