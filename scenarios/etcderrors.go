package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var EtcdErrors = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "etcd-errors",
	Summary: "etcd answers requests with errors while clients write and read: timeouts, another leader, too many requests",
	Doc: `All reads and writes of etcd go through the client library of an API server. It repeats reads as long as etcd is unavailable,
and no write: one that timed out may be carried out, later or never, and its client cannot know. One that etcd refuses is not
carried out.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 client-kv=true client-writes=true
		writers=2 writes=4 txns=true deletes=true readers=2 reads=2 gets=1 read=consistent watchers=1 keys=2 items=2
		history=1 await-ready=true timeouts=3 leader-changes=1 overloads=1 to-rest=true steps=20000`),
	About:  testbed.Reaches{"etcd: linearizable reads time out": 55, "etcd: write times out and is lost": 45},
	Active: testbed.Active{"retry-wait=100ms": ""},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.LinearizableAnswers, reads.AtMostOnce, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable,
		caches.Resumes,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp, watches.BookmarksCome,
	},
	Known: slices.Concat(
		known.Rarely(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable)),
		known.Rarely(known.StaleReads(reads.Linearizable, reads.LinearizableData, reads.LinearizableAnswers)),
		known.Rarely(known.StaleAfterGet()),
	),
})

var AnyEtcdErrors = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-etcd-errors",
	Summary: "clients draw their requests to etcd's own API, and etcd answers some with errors",
	Doc: `The requests of any-etcd-requests without its streams, through the client library of an API server: a transaction that only
reads is no read to the library, and is not repeated. There are more objects than the judges keep in one piece. No cache is judged, since Kubernetes never changes two keys at one
revision, as these clients do.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept caches=2 client-writes=true
		read=consistent keys=3 items=70 history=1 drawn-clients=3 drawn-requests=6
		restarts=1 timeouts=4 leader-changes=2 overloads=1 steps=20000`),
	About:  testbed.Reaches{"etcd: write times out and is carried out": 50, "etcd: write times out and is lost": 50},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.LinearizableAnswers, reads.Exact, reads.AtMostOnce, reads.Repeated},
})

var NoLeader = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "no-leader",
	Summary: "etcd has no leader for a while, or ends watch streams in order: all watches of an API server end with an error, and begin again",
	Doc: `Kubernetes requires a leader for each of its watch streams. etcd ends such streams after three election timeouts without one,
and refuses new ones; the client library does not resume their watches, but hands the error on. The cache watches again from
where it was, and lists again only if that goes on for too long. Writes wait for the next leader, and linearizable reads fail
when it comes.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2 client-kv=true client-writes=true
		writers=2 writes=4 deletes=true noise=1 noise-writes=1 readers=2 reads=2 read=consistent watchers=2 leave=2
		keys=2 items=2 history=1 await-ready=true breaks=3 leader-losses=2 stream-ends=2 steps=20000`),
	About: testbed.Reaches{"clientv3: etcd ends the stream in order": 70, "etcd: no leader": 75},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.AtMostOnce, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable,
		caches.Resumes,
	},
	Known: slices.Concat(
		known.Rarely(known.EarlyProgress(watches.Resumable)),
		known.Rarely(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable)),
		known.Rarely(known.StaleReads(reads.Linearizable, reads.LinearizableData)),
	),
})

var NoLeaderTimed = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "no-leader-timed",
	Summary: "etcd loses its leader again and again, by the clock: caches watch again, and list none of their objects again",
	Doc: `The times of no-leader. Errors go on for some seconds. A cache that lists at the second one, and not when they have gone on for
30 s, costs etcd a list of each resource in each election.`,
	Params: NoLeader.Params.But(`leader-losses=6 stream-ends=6 think=1s faults-for=10s mode=timed network=1ms scheduling=500us horizon=1m
		steps=200000`),
	About: testbed.Reaches{"etcd: no leader": 30},
	Claims: []*testbed.Property{
		caches.Resumes, caches.ReopensInTime, caches.MatchEtcd, caches.TimersOwned, testbed.EventsInTime,
	},
	Known: known.Rarely(known.EarlyProgress(caches.MatchEtcd)),
})

var LongWithoutLeader = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "long-without-leader",
	Summary: "etcd has no leader for seconds: writes wait, and of the streams of its own watch API those end that require a leader",
	Doc: `A client says for each stream whether it requires a leader (clientv3.WithRequireLeader). etcd ends such a stream once it has
seen no leader for three election timeouts, and goes on to serve the others, to which nothing new comes: no write is carried out
until there is a leader again.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=3 writes=6 readers=1 reads=4 read=consistent streams=2 keys=2 items=2 think=5s
		leader-losses=1 faults-for=15s mode=timed network=1ms scheduling=500us horizon=40s steps=200000`),
	Stream: func(_ *testbed.Params, i int) workload.EtcdWatchPlan {
		create := watchFrom(0)
		create.RequireLeader = i == 0
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{create}, Requests: 3, Every: time.Second}
	},
	About:  testbed.Reaches{"etcd: no leader": 75},
	Active: testbed.Active{"election-timeout=2s": "", "leaderless-streams=kept": ""},
	Claims: []*testbed.Property{
		etcdapi.NeedsLeader, etcdapi.WatchAnswers, reads.Linearizable, reads.AtMostOnce, watches.Ordered, watches.Unique, watches.Reliable,
	},
	Known: slices.Concat(
		known.Rarely(known.StaleReads(reads.Linearizable)),
	),
})

var ErrorsAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "errors-at-rest",
	Summary: "etcd serves the watches of clients, answers with errors and ends streams, until nothing more can happen: nothing is left behind",
	Doc: `Each watch goes to etcd (watch-delegation=all): the client library asks for etcd's revision or lists the initial events in
pages of two objects, then watches. Clients leave in the middle of that, calls are given up, a cache is replaced while its calls are under way,
and etcd breaks and ends streams, loses its leader and answers reads with errors. In the end the client library must hold
what caches still have open and nothing else, and each watch must have the newest change.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 resources=2 client-kv=true client-writes=true progress-requests=periodic
		watch-delegation=all page=2 unary-retries=3 client-buf=1 watch-buf=1
		writers=2 writes=3 deletes=true readers=1 reads=2 read=consistent watchers=2 leave=2 keys=6 items=4
		list-watchers=1 list-rounds=2 list-rv=every drawn-watchers=2 drawn-requests=3
		breaks=2 recreations=1 timeouts=3 leader-changes=1 leader-losses=1 stream-ends=1 call-breaks=2 to-rest=true
		steps=20000`),
	About: testbed.Reaches{
		"cache: watch delegated to etcd": 80, "clientv3: the caller of a unary request goes away": 60,
	},
	Claims: []*testbed.Property{
		caches.ClientNothingLeft, caches.ClientBounded, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.KeepUp, watches.InitialEvents, watches.EventTypes, watches.Filter, caches.InvalidRequests, caches.TimersOwned, caches.NothingLeft, etcdapi.NothingLeft, caches.CatchUp,
	},
})

var DelegatedExpired = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "delegated-expired",
	Summary: "etcd serves the watches of clients and compacts what they still need: each client is told so, and nothing is left behind",
	Doc: `As errors-at-rest, with four compactions, and an etcd that ends no watch for another reason. A watch that etcd serves ends when it
needs a revision that is gone, after its stream broke or because its client begins too far back, and the cache passes the 410 on: a client
that only sees its watch end would watch again from where it was.`,
	Params: ErrorsAtRest.Params.But("compactions=4 leader-losses=0 stream-ends=0"),
	About:  testbed.Reaches{"cache: watch delegated to etcd": 80, "etcd3: a watch ends because of compaction": 15},
	Claims: []*testbed.Property{caches.JustifiedRefusals, caches.WatchEnds, caches.NothingLeft, caches.ClientNothingLeft, watches.Ordered, watches.Unique, watches.KeepUp},
})

var RefusedWatches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "refused-watches",
	Summary: "etcd refuses watches without a permission while their streams end, until nothing more can happen: each is closed, and watched again",
	Doc: `etcd refuses a watch whose user has lost its permission, and leaves the stream open for the others on it. clientv3 hands the
refusal to the goroutine of the watch and goes on. If the stream ends before it has heard of that goroutine again, it waits for it for
ever, since the watch is in none of its lists: its caller is never answered, and neither is any later watch with the same metadata
(etcd-io/etcd#17611). --bug etcd-17611 shows what every release does. Here such a watch is closed like the others.`,
	Params: ErrorsAtRest.Params.But(`refused-watches=closed watch-refusals=3 stream-ends=3`),
	About:  testbed.Reaches{"clientv3: etcd refuses to create a watch": 50},
	Claims: []*testbed.Property{caches.ClientNothingLeft, caches.NothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp, caches.JustifiedRefusals},
})

var StreamedCache = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "streamed-cache",
	Summary: "caches get their contents as initial events of a watch of etcd, which ends and breaks: they watch again from where they were",
	Doc: `The cacher's reflector may stream its list as informers do (the gate WatchList in the API server): the client library lists, and
sends the objects as events with a bookmark behind them. The resourceVersion of that bookmark is where the cache watches again when
etcd has no leader for a while or ends the stream. What it held is not listed a second time.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 reflector-list=watch-list
		writers=1 writes=4 deletes=true noise=1 noise-writes=1 readers=1 reads=3 read=consistent watchers=1 keys=2
		items=2 history=1 await-ready=true breaks=1 restarts=1 leader-losses=1 stream-ends=2 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: contents replaced by initial events": 70},
	Claims: []*testbed.Property{
		caches.MatchEtcd, caches.Resumes, reads.Linearizable, watches.Ordered, watches.Unique, watches.Reliable,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp, watches.BookmarksCome,
	},
	Known: slices.Concat(
		known.Rarely(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable)),
		known.Rarely(known.StaleReads(reads.Linearizable)),
	),
})

var Pauses = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "pauses",
	Summary: "etcd breaks, ends and refuses watches and lists for half a minute, timed: caches and client libraries try again after their pauses",
	Doc: `The goroutine of a cache sleeps for a second before it lists again, and a client library for 1.25 to 100 ms before it opens a
watch stream again, here for 88 and then for 100. Without these pauses an etcd that has just come back is asked without an end; with longer ones the cache has no
events, or is not ready, for longer than it must. Watches that end at once, compactions, and requests that etcd does not carry out
in time make a cache list.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2 client-kv=true unary-retries=1 reopen-backoff=70ms
		writers=1 writes=6 deletes=true readers=1 reads=3 read=consistent watchers=2 compactions=3 keys=2 items=2
		history=2 think=15s
		breaks=6 restarts=1 recreations=1 etcd-restarts=2 timeouts=6 leader-changes=4 stream-ends=6 faults-for=30s
		mode=timed network=1ms scheduling=500us horizon=1m steps=200000`),
	About:  testbed.Reaches{"clientv3: a read is given up after all retries": 70},
	Active: testbed.Active{"reopen-backoff-max=2ms": ""},
	Claims: []*testbed.Property{caches.RelistsInTime, caches.ReopensInTime, caches.Resumes, caches.MatchEtcd, watches.Ordered, watches.Unique, caches.TimersOwned},
	Known: slices.Concat(
		known.Rarely(known.ResumedWatches(watches.Ordered, watches.Unique)),
	),
})
