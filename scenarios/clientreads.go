package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var QuietGet = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-get",
	Summary: "GETs of a revision that only writes to other resources have reached",
	Doc: `Noise moves etcd's revision on, and no event tells the cache. A client that learned of such a revision elsewhere
names it in a GET: the cache has to ask etcd for progress, as for a LIST. In kubernetes/kubernetes#123674 reads of one
object did not, and timed out.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		noise=1 noise-writes=20 noise-for=200ms readers=2 gets=4 read=not-older keys=2 items=2 await-ready=true
		think=100ms mode=timed network=1ms scheduling=500us horizon=20s steps=200000`),
	About:  testbed.Reaches{"cache: read served after waiting": 60},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=12 readers=3 gets=4 read=not-older keys=2 items=2 await-ready=true think=10ms
		mode=timed network=20ms scheduling=500us horizon=20s steps=200000`),
	About:  testbed.Reaches{"cache: read served after waiting": 40},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.NotOlderThan, caches.ServedAsPromised, caches.NeededProgress},
	Known:  known.EarlyVersions(reads.NotOlderThan),
})

var AnyWithoutProgress = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-without-progress",
	Summary: "LISTs at resourceVersion \"0\" in front of an etcd that never answers a progress request",
	Doc: `On etcd 3.5.8 to 3.5.12 a consistent LIST of a quiet resource may hang (etcd-io/etcd#17507). One at resourceVersion "0"
needs no freshness and must not hang. In kubernetes/kubernetes#123676 it did, because it was handled as a consistent one.`,
	Params: testbed.With(`etcd=3.5.12 cache=kep-2340 caches=1
		noise=1 noise-writes=20 noise-for=200ms readers=2 reads=3 read=any keys=2 items=2 await-ready=true think=100ms
		mode=timed network=1ms scheduling=500us horizon=20s steps=200000`),
	About:  testbed.Reaches{"etcd: unsynced watcher synced without a word": 45},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Sequential, caches.ServedAsPromised},
})

var Namespaces = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "namespaces",
	Summary: "consistent LISTs of a namespace beside another one whose name begins like it",
	Doc: `The API machinery asks the storage for "/registry/pods/team", without a "/" at the end, and "team-b" begins like that. Both
etcd's storage and the cache have to close the prefix before they compare (kubernetes/kubernetes#125584, and #25342 long
before).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 namespaces=2
		writers=2 writes=3 deletes=true readers=2 reads=3 read=consistent keys=4 items=2 await-ready=true to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: read waits": 65},
	Active: testbed.Active{"apart=true": ""},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.NeededProgress, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp},
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
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 resources=2 sync-batch=1
		writers=2 writes=40 readers=2 reads=8 read=consistent keys=2 items=2 apart=true await-ready=true think=50ms
		mode=timed network=1ms scheduling=500us horizon=30s steps=400000`),
	About: testbed.Reaches{"etcd: more history than one batch": 30},
	Claims: []*testbed.Property{
		reads.AnswersInTime, reads.Linearizable, caches.ServedAsPromised, caches.NeededProgress,
		caches.TimersOwned,
	},
	Known: slices.Concat(
		known.AwaitedProgress(),
		known.StaleReads(reads.Linearizable),
	),
})

// selectedClaims are what clients that select objects are promised, and selectedKnown what is known of that.
var (
	selectedClaims = []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.Exact, caches.MatchEtcd,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress, reads.NotFound,
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable,
		watches.EventTypes, watches.InitialEvents, caches.InvalidRequests, caches.TimersOwned,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp,
	}
	selectedKnown = slices.Concat(
		known.Rarely(known.EarlyProgress(watches.Resumable, watches.Bookmarkable)),
		known.Rarely(known.EarlyInitialEvents(watches.InitialEvents)),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.RepeatedByClient(watches.Bookmarkable),
		known.Rarely(known.StaleReads(reads.Linearizable, reads.LinearizableData)),
		known.Rarely(known.EarlyVersions(reads.Exact)),
	)
)

var SelectedLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "selected-lists",
	Summary: "clients list and watch the objects of one writer, by a field with an index and by one without, beside all other options",
	Doc: `A write by another client moves an object from one selection to another. The cache answers by its index, or looks at each
object; etcd knows of no selectors, so that the API server asks it page after page until enough objects are selected. Whichever
way is taken, a LIST shows the objects that are selected at one revision, and pages continue where the last one ended. A watch is
sent ADDED when an object enters its selection, and DELETED with the object as it was when it leaves.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 namespaces=2 ring=4
		writers=2 writes=5 txns=true deletes=true noise=1 noise-writes=1 read=consistent watchers=2 leave=2
		compactions=1 keys=4 items=4 await-ready=true drawn-readers=4 drawn-watchers=2 drawn-requests=6
		drawn-selectors=true breaks=1 restarts=1 to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: list by a field index": 80, "cache: list filtered object by object": 75},
	Active: testbed.Active{"drawn-labels=true": "", "drawn-terms=true": ""},
	Claims: selectedClaims,
	Known:  selectedKnown,
})

var ShardedRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "sharded-requests",
	Summary: "clients list and watch one shard of the objects, beside selectors and all other options (KEP-5866)",
	Doc: `As selected-lists: a shard is one more thing that an object has to match, at the same places of the code. The bound of
two shards is the hash of an object, or of a writer, so that one more or less shows: [start, end) of one shard and of the next
have it once. By the uid an object that is deleted and created anew may be in another shard than before, by the writer each
write may move it: the watch of the shard that it leaves is sent DELETED, with the object as it was, and that of the other one
ADDED, both at the revision of the change.`,
	Params: SelectedLists.Params.But("cache=v0.38.0-beta.0 drawn-shards=true watchers=4"),
	Draws: slices.Concat(DrawsCache, option.Ranges(`drawn-labels=true drawn-terms=true drawn-singles=true drawn-keys=true items=0|2 writes=2|8
		breaks=0|2 restarts=0|2 compactions=0|3 caches=2`)),
	About:  testbed.Reaches{"cache: list filtered object by object": 75},
	Claims: selectedClaims,
	Known:  selectedKnown,
})

var AnyRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-requests",
	Summary: "clients of a cache draw their LISTs, GETs and WATCHes from all that there are, anew in each run",
	Doc: `Namespaces, resourceVersions and matches with and without a continue token, limits, pages, tokens and keys that are none,
lists that bypass the cache, and watches with and without initial events, bookmarks and timeouts, while etcd is compacted and
watches break. Each client does without a random half of the
options in each run (swarm testing), and all of it is choices of the run. A revision that the run never reaches is waited for in
vain, and what no API takes is refused.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2 namespaces=2
		writers=2 writes=4 txns=true deletes=true noise=1 noise-writes=2 read=consistent move=true watchers=1 leave=2
		compactions=1 keys=4 items=3 history=1 await-ready=true drawn-readers=4 drawn-watchers=2 drawn-requests=6
		breaks=2 restarts=1 to-rest=true steps=20000`),
	// take-rests is not among them: with selectors and compactions it loses objects in every
	// release (compacted-selections), so that a draw with it would excuse the properties
	// that matter most here. --set take-rests=true has clients of this scenario do it.
	Draws: slices.Concat(
		DrawsCache, DrawsClient, DrawsEtcd, DrawsProcesses, DrawsClients, DrawsFaults,
		option.Ranges(`drawn-readers=1|2|6 drawn-watchers=1|3 drawn-requests=3|10 drawn-selectors=true drawn-labels=true
			drawn-terms=true drawn-singles=true drawn-keys=true`),
	),
	About: testbed.Reaches{"cache: invalid get refused": 55, "cache: watch ended by its deadline": 35},
	Active: testbed.Active{
		"server-settings=cache-2:ring=3": "caches=2",
		"continued-limit=counts":         "cache=v0.37.2,drawn-readers=8,drawn-requests=24,items=8",
	},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.Exact, reads.Pages, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Filter,
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.PageSizes, caches.NeededProgress, reads.NotFound,
		watches.EventTypes, caches.InvalidRequests, caches.TimersOwned,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp,
	},
	Known: slices.Concat(
		known.Rarely(known.EarlyProgress(watches.Resumable)),
		known.Rarely(known.EarlyVersions(reads.Exact, reads.Pages)),
		known.Rarely(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable)),
		known.Rarely(known.StaleReads(reads.Linearizable, reads.LinearizableData)),
		known.EchoOfLaggard(reads.Linearizable, reads.LinearizableData),
		known.EchoOfPredecessor(reads.Linearizable, reads.LinearizableData),
	),
})
