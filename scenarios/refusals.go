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

var Refusals = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "refusals",
	Summary: "clients ask in every way, also before the cache is ready and for what is gone: each refusal and each trip to etcd has a reason",
	Doc: `LISTs and GETs of every kind and watches that leave and come back, of a cache that remembers three events, starts over
and meets a compacting etcd. What a cache may refuse is written down in KEP-2340, KEP-4568 and KEP-4988: 429 while it is not
ready, 504 while it is behind, 410 for what is gone. A cache that refuses more than that, or that lets etcd answer what it could
answer itself, is right about the data and of no use.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 ring=3
		writers=2 writes=4 deletes=true noise=1 noise-writes=1 readers=3 reads=4 gets=3 read=every watchers=2 leave=1
		compactions=1 keys=3 items=3 list-watchers=1 list-rounds=2 list-rv=every breaks=1 restarts=1 steps=20000`),
	About: testbed.Reaches{"cache: get delegated to etcd while not ready": 45, "cache: invalid list refused": 75},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=1 writes=4 noise=1 noise-writes=60 noise-for=4m readers=2 reads=20 read=consistent watchers=2
		watch-for=1m40s keys=2 items=2 await-ready=true think=20s
		faults-for=1s mode=timed network=1ms scheduling=500us horizon=5m steps=200000`),
	About:  testbed.Reaches{"cache: bookmark sent to a watcher": 65},
	Active: testbed.Active{"bookmark-period=20s": ""},
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 progress-requests=periodic
		writers=2 writes=4 deletes=true noise=1 noise-writes=1 readers=2 reads=2 gets=1 read=every watchers=2 leave=2
		streams=2 keys=2 items=2 list-watchers=1 list-rounds=2 list-rv=every list-slow=true
		breaks=1 restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{"etcd: watch refused": 80, "etcd: all events filtered out": 65},
	Claims: []*testbed.Property{
		watches.KeepUp, watches.BookmarksCome, caches.NothingLeft, caches.ClientNothingLeft, caches.CatchUp,
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
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 namespaces=2 progress-requests=periodic
		writers=2 writes=3 deletes=true noise=1 noise-writes=4 noise-beside=true keys=4 items=3 history=1
		drawn-readers=3 drawn-requests=5 breaks=1 restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: invalid list refused": 60},
	Draws: slices.Concat(
		DrawsCache, DrawsClient, DrawsEtcd, DrawsFaults,
		option.Ranges(`drawn-readers=1|5 drawn-requests=3|10 drawn-selectors=true drawn-singles=true drawn-keys=true lagging=true
			reads-lag=true client-kv=true compactions=1|3 keys=1|4 items=0|3 noise-writes=1|4`),
	),
	Claims: []*testbed.Property{caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, caches.InvalidRequests, caches.MatchEtcd, reads.LinearizableData, caches.TimersOwned},
	Known: slices.Concat(
		known.Rarely(known.StaleReads(reads.LinearizableData)),
		known.EarlyVersions(caches.MatchEtcd, caches.CatchUp),
		known.Where(known.Rarely(known.ProgressBelowList(caches.MatchEtcd)), known.WatchesLag),
		known.EchoOfLaggard(reads.LinearizableData),
	),
})

var SlowStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "slow-start",
	Summary: "a cache needs a minute for its first list, and clients ask before and after: each is refused in time, and may come back when it was said to",
	Doc: `Etcd takes twenty seconds for each object. Until the cache has listed, its clients are refused with 429, and Retry-After grows
with the time that the cache has been down, to 30 s (KEP-4568). After that they ask for versions that come late or not at all: each
waits for three seconds, and is refused with 504 and a Retry-After of 1 s.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-4988 caches=1 range-time=1ms item-time=20s
		writers=1 writes=6 noise=1 noise-writes=4 noise-for=1m40s readers=4 reads=16 read=every watchers=1 leave=1
		keys=3 items=3 think=16s list-watchers=1 list-rounds=4 list-rv=every
		mode=timed network=2ms scheduling=1ms horizon=3m steps=200000`),
	About:  testbed.Reaches{"cache: list refused while not ready": 80},
	Claims: []*testbed.Property{caches.JustifiedRefusals, caches.NeededProgress, caches.PageSizes, caches.TimersOwned, caches.CatchUp},
})
