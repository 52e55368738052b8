package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var ColdStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-cold-start",
	Summary: "informers stream their list from API servers that have just started, or start again meanwhile (KEP-3157)",
	Doc: `A cache that has not listed yet refuses a WatchList with 429, so the informer backs off and asks again. The stream
begins with synthetic ADDED events and ends with a bookmark. With informer-list=list-watch the first list names
resourceVersion "0" and a limit, and a cold cache has etcd answer it in pages (KEP-3157, "Steps followed by informers").`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=1 writes=3 deletes=true noise=1 noise-writes=1 read=consistent keys=3 items=3 informers=2
		informer-list=watch-list informer-page=2 restarts=1 to-rest=true steps=20000`),
	About: testbed.Reaches{
		"informer: stream closed before the end of its initial events": 35,
		"informer: request sent again after Retry-After":               65, "informer: request sent again too often": 10,
		"informer: initial events ended by a bookmark": 70, "informer: list in place of a stream": 35,
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic),
		known.Rarely(known.StaleRelist()),
	),
})

var Fallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-fallback",
	Summary: "API servers that do not know sendInitialEvents: informers list instead, and miss nothing",
	Doc: `The gate WatchList is off in the API servers and on in client-go: a WatchList is refused as invalid (KEP-3157, "Version Skew
Strategy"). The informer lists, whatever the error was, and tries to stream again the next time that it has to list. The first list of a
process names resourceVersion "0", as every first list of client-go does: one that restarts may go back in time (see informer-time-travel), which
--set informer-rv=unset rules out.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2 watch-list=disabled
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 read=consistent keys=2 items=3 informers=2
		informer-list=watch-list informer-page=2 restarts=1 informer-breaks=2 informer-restarts=1 to-rest=true steps=40000`),
	About: testbed.Reaches{
		"informer: list in place of a stream": 80, "informer: restarted": 75,
		"informer: moved to another API server": 80,
	},
	Claims: Claims,
	Known: slices.Concat(
		known.EarlyProgress(informers.MatchEtcd, informers.CatchUp),
		known.BackInTime(contentClaims...),
		known.RefusedStreams(),
		known.StaleRelist(),
		known.When(known.TimePasses).RarelyViolates(informers.CatchUp).Because(sameStateAgain),
		known.When().RarelyViolates(testbed.ComingToRest).Because(sameStateAgain),
	),
})

var ExpiredPages = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-expired-pages",
	Summary: "informers list page by page, and etcd compacts the revision of their first page: they list in one piece, and miss nothing",
	Doc: `The informers ask for the newest state, one object a page, and some restart. A page whose revision is gone is refused with
410. client-go's pager then drops the pages that it has, and asks for all objects at once, without a limit (FullListIfExpired).
A client that sets a limit with every list gets one page in this place (kubernetes/kubernetes#126770).`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		writers=2 writes=4 deletes=true noise=1 noise-writes=1 read=consistent compactions=3 keys=3 items=4
		informers=2 informer-rv=unset informer-page=1 informer-breaks=2 informer-restarts=3 to-rest=true steps=40000`),
	About:  testbed.Reaches{"informer: list whose second page expired": 25},
	Claims: Claims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.StaleRelist()),
})

var Memory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-memory",
	Summary: "informers get all objects of 1 MB at the same time: memory for streams against memory for LISTs (KEP-3157)",
	Doc: `Bytes are counted (see "metrics" of simrun run --json). With items=400 and informers=16 or 1024 it is the manual test of
KEP-3157: with LISTs (informer-list=list-watch) 16 informers took an API server down, with streams 1,024 did not.
Alternative 2 of the document refuses LISTs while measured memory is above a limit (answers-limit), alternative 3 serves pages
from the cache (--cache kep-4988 with informer-list=list-watch, informer-rv=unset and informer-page=50).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=1 writes=4 read=consistent keys=2 items=20 await-ready=true think=1s informers=4
		informer-list=watch-list object-bytes=1000000
		mode=timed network=1ms scheduling=500us horizon=10m steps=10000000`),
	About: testbed.Reaches{"informer: initial events ended by a bookmark": 80},
	Active: testbed.Active{
		"object-bytes=10":    "",
		"measure-period=1ms": "informer-list=list-watch,network=200ms,answers-limit=1",
	},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})

// slow is informers far away: a connection carries half a megabyte a second, which is two
// seconds for each of forty objects of 1 MB, so that all of them take 80 s.
var slow = testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
	writers=1 writes=4 read=consistent await-ready=true keys=2 items=40 think=1s
	object-bytes=1000000 informers=2 informer-list-timeout=1m
	mode=timed network=1ms scheduling=500us transfer=2s horizon=10m steps=100000`)

var SlowLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-slow-lists",
	Summary: "informers far away list, which takes longer than the 60 s that a request may take: they never sync (KEP-3157, step 2b)",
	Doc: `"Currently, there is a timeout for LIST requests of 60s. That means a slow reflector might fail synchronization as well". A
connection carries half a megabyte a second, and there are forty objects of 1 MB. The API server ends each LIST when three quarters of it
have come (informer-list-timeout), and after a pause the informer asks for all of it again. Pages come in time: --set
informer-rv=unset with informer-page=10. So does a stream: informer-slow-streams.`,
	Params: slow.But("informer-list=list-watch"),
	About:  testbed.Reaches{"informer: list ended by its timeout": 80},
	Claims: []*testbed.Property{informers.CatchUp},
	Known: known.When(known.InformersTimeOut, known.InformersListWhole).Violates(informers.CatchUp).
		Because("a LIST that takes longer than its time-out is ended and begun again, from its first object on"),
})

var SlowStreams = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-slow-streams",
	Summary: "the informers of informer-slow-lists stream their list, which no time-out ends: they follow after 80 s",
	Doc: `A stream may take as long as it takes. An informer whose stream is refused lists in its place, and never syncs. With --set
writes=200 the channel of the watch overflows before all initial events are sent, which the document fears: as shipped, the watch
ends with the bookmark, and the informer goes on from there.`,
	Params: slow.But("informer-list=watch-list"),
	About:  testbed.Reaches{"cache: watcher blocked by its client": 80},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})

var MostRecent = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-most-recent",
	Summary: "informers list with RV=\"0\" and resourceVersionMatch=MostRecent, restart and move between API servers: they never go back in time (KEP-3157)",
	Doc: `What KEP-3157 proposes for LISTs against kubernetes/kubernetes#59848: the cache asks etcd for its revision, waits until it has that, and
refuses the LIST if it waits in vain. The informer asks again. No release has it: --set most-recent=refused is what they all do, and then
these informers never have a list, since the document names no way back for a LIST. --set informer-rv=0 leaves the match out, which is
informer-time-travel. Readers ask in the same way, and are held to what a consistent LIST promises, on every design of the cache: the
proposal is older than consistent LISTs from it.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2 most-recent=served
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 readers=2 reads=3 gets=1 read=most-recent move=true
		keys=2 items=2 await-ready=true informers=2 informer-rv=most-recent
		restarts=1 informer-breaks=2 informer-restarts=3 to-rest=true steps=40000`),
	About: testbed.Reaches{"informer: moved to another API server": 80},
	Claims: append([]*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.ServedAsPromised,
	}, Claims...),
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents, known.AnswersLists, known.RequestsProgress, known.TrustsEtcd).
			Violates(reads.Linearizable, reads.LinearizableData, reads.Sequential).
			Because("the cache takes early progress for the proof that it has all events (etcd-io/etcd#15220)"),
		known.BackInTime(contentClaims...),
		known.Rarely(known.StaleRelist()),
	),
})

var DuringRelist = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-during-relist",
	Summary: "informers stream their list while etcd's answers to the API server are held up, and the cache lists again meanwhile",
	Doc: `A watch with initial events and without a resourceVersion first asks etcd for its revision. An API server has a connection to
each member of etcd: here the one to the leader lets nothing through for some time, while the other member serves the watch of the cache. That
watch breaks and is compacted before it resumes, so that the cache ends the watches that it knows, and lists. A watch whose answer
gets through before that of the list must not be registered: it would begin with the old state and miss what the
list brings (kubernetes/kubernetes#116122). Writes go on, so that the next event shows that something is missing.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 lagging=true
		writers=1 writes=60 read=consistent compactions=30 compact-newest=true keys=8 items=8 informers=12
		informer-list=watch-list informer-rv=unset breaks=4 read-partitions=6 informer-restarts=12 to-rest=true steps=40000`),
	About:  testbed.Reaches{"cache: watch registered after the cache started over": 45},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(informers.Monotonic),
		known.Rarely(known.ProgressBelowList(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic)),
		known.Rarely(known.StaleRelist()),
	),
})

var NeverSyncs = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-never-syncs",
	Summary: "informers begin while the cache is seconds behind, and objects are written on: a stream of the newest state never comes (kubernetes #139766)",
	Doc: `A conversion webhook needs 5 to 8 seconds for each object, ten at once, and one object is written each second: the cache follows,
and is five seconds behind and more. An informer begins by a stream of the newest state. The API server asks etcd which one that is,
waits for it for three seconds, and refuses. client-go asks for the newest state again at once, which is a newer one. A LIST at
resourceVersion "0", with which informers began before (--set informer-list=list-watch), is answered at once, and so is a stream at
"0" (informer-rv=0). A LIST in place of a stream that was refused (informer-too-large=list) gets through, and so does a stream that
does not wait for the cache to begin, as KEP-3157 has it (--cache kep-3157). A LIST of the newest state needs etcd's help: see
on-timeout.

What waits makes it worse. While a read waits the cache asks etcd for progress every 100 ms, and each notification takes one of the
ten slots of the decoder behind the object that is being converted, so that hardly two objects are converted at once
(findings/pages/progress-takes-decode-slots.md).`,
	Params: testbed.With(`etcd=3.7.3 cache=v0.37.2 caches=1 watch-decode=concurrent decode-time=8s
		writers=1 writes=300 read=consistent keys=2 items=3 await-ready=true think=2s informers=2
		informer-list=watch-list
		informer-storms=1 faults-for=1m mode=timed network=1ms scheduling=500us horizon=3m steps=1000000`),
	About:  testbed.Reaches{"cache: watch refused before it began": 70},
	Claims: []*testbed.Property{caches.InformersSync, informers.MatchEtcd},
	Known: slices.Concat(
		known.When(known.InformersInsist, known.WaitsForInitialEvents, known.TrustsEtcd).Violates(caches.InformersSync).
			Because("each WatchList wants the newest state within three seconds, and the cache is further behind (kubernetes/kubernetes#139766)"),
		known.When(known.InformersInsist, known.EndsByTimer).RarelyViolates(caches.InformersSync).
			Because("where many objects are written at once the cache is minutes behind the state for which the stream waits"),
	),
})

var CostStorm = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "cost-storm",
	Summary: "what it costs when all informers start over at once: requests to API servers and to etcd",
	Doc: `Twenty informers of three API servers begin, and all of them restart at the same time some seconds later. What they send,
and what API servers send to etcd for them, is counted. LISTs at resourceVersion "0" need nothing of etcd once the caches have
listed, LISTs of the newest state and streams make each API server read etcd's revision for each of them, and with --cache direct
etcd answers every LIST. With informers=1000 it is the storm of KEP-3157.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=3
		writers=1 writes=4 read=consistent keys=2 items=20 await-ready=true think=1s informers=20
		informer-storms=1 faults-for=10s mode=timed network=1ms scheduling=500us horizon=10m steps=10000000`),
	About:  testbed.Reaches{"cache: watch begins in the history": 80},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})
