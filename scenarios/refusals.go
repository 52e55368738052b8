package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Refusals = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "refusals",
	Summary: "clients ask in every way, also before the cache is ready and for what is gone: each refusal and each trip to etcd has a reason",
	Doc: `LISTs and GETs of every kind and watches that leave and come back, of a cache that remembers three events, starts over
and meets a compacting etcd. What a cache may refuse is written down in KEP-2340, KEP-4568 and KEP-4988: 429 while it is not
ready, 504 while it is behind, 410 for what is gone. A cache that refuses more than that, or that lets etcd answer what it could
answer itself, is right about the data and of no use.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("ring=3"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 3, Reads: 4, Gets: 3, Read: "every",
			Watchers: 2, Leave: 1, Keys: 3, Items: 3, Compactions: 1,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "every"},
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{
		caches.JustifiedRefusals, caches.ServedAsPromised, caches.NeededProgress, caches.PageSizes, watches.EventTypes,
		caches.Resumes,
		caches.TimersOwned,
	},
})

var Bookmarks = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "bookmarks",
	Summary: "watches of a quiet resource that end after their timeout: bookmarks come once a minute and before the end, no sooner",
	Doc: `Other resources are written, and consistent LISTs raise the resourceVersion of the cache. A watcher of the quiet resource
learns of it by bookmarks only: one a minute, and one in the last two seconds of a watch that has a timeout, so that its client
goes on from there and not from history that is gone by then. More of them would be work for every watcher.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 4, Noise: 1, NoiseWrites: 60, NoiseFor: 4 * time.Minute, Readers: 2, Reads: 20, Read: "consistent",
			Watchers: 2, WatchFor: 100 * time.Second, AwaitReady: true, Keys: 2, Items: 2, Think: 20 * time.Second,
		},
		Faults: faults.Options{For: time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 5 * time.Minute,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{
		watches.BookmarksInTime, watches.Bookmarkable, watches.Ordered, watches.Reliable, watches.Resumable, watches.EventTypes,
		caches.NeededProgress,
		caches.TimersOwned,
	},
})

var WatchesAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watches-at-rest",
	Summary: "clients watch a cache and etcd until nothing more can happen: no watch falls silent, bookmarks come, nothing is left behind",
	Doc: `Every timer has fired and every message has arrived before the run is judged. An open watch must have been sent the
newest change, whatever broke on the way, and a bookmark behind it. The cache must hold nothing for clients that have
gone: no read, no watch that drains, no connection. An etcd that sends progress by itself never rests, so that the cache requests
progress in every design here.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 2, Reads: 2, Gets: 1, Read: "every",
			Watchers: 2, Leave: 2, Streams: 2, Keys: 2, Items: 2,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "every", Slow: true},
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{
		watches.KeepUp, watches.BookmarksCome, caches.NothingLeft, caches.ClientNothingLeft,
		etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft, watches.EventTypes,
		caches.Resumes,
		caches.TimersOwned,
	},
})

var RequestsAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "requests-at-rest",
	Summary: "clients draw LISTs and GETs beside keys of other resources until nothing more can happen: each is answered, and nothing is left behind",
	Doc: `Requests as in any-requests, also for keys that are not the cache's, while watches break and the API server restarts. Other
resources are written whose keys lie next to those of the cache, or begin like its prefix. When every message has arrived, each client
must have its answer, and the cache must hold nothing for it.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Topology: topology.Options{Servers: 1, Namespaces: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 4, NoiseBeside: true, Keys: 4, Items: 3, History: 1,
			Drawn: workload.DrawnOptions{OfCache: 3, Requests: 5},
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Claims: []*testbed.Property{caches.NothingLeft, caches.InvalidRequests, caches.MatchEtcd, reads.LinearizableData, caches.TimersOwned},
	Known: slices.Concat(
		known.Rarely(known.StaleReads(reads.LinearizableData)),
	),
})

var SlowStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "slow-start",
	Summary: "a cache needs a minute for its first list, and clients ask before and after: each is refused in time, and may come back when it was said to",
	Doc: `Etcd takes twenty seconds for each object. Until the cache has listed, its clients are refused with 429, and Retry-After grows
with the time that the cache has been down, to 30 s (KEP-4568). After that they ask for versions that come late or not at all: each
waits for three seconds, and is refused with 504 and a Retry-After of 1 s.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-4988",
		Settings: option.Settings("range-time=1ms", "item-time=20s"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 6, Noise: 1, NoiseWrites: 4, NoiseFor: 100 * time.Second, Readers: 4, Reads: 16, Read: "every",
			Watchers: 1, Leave: 1, Keys: 3, Items: 3, Think: 16 * time.Second,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 4, RV: "every"},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 2 * time.Millisecond, Scheduling: time.Millisecond, Horizon: 3 * time.Minute, Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{caches.JustifiedRefusals, caches.NeededProgress, caches.PageSizes, caches.TimersOwned},
})
