package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var SeveralCaches = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "several-caches",
	Summary: "two API servers with a cache of two resources each; clients move between them, and any process may restart",
	Doc: `Each API server has one client library with a watch stream of its own for each cache, as the gate SeparateCacheWatchRPC
has it. Clients list both resources, from one API server and then from the other. What KEP-2340 promises does not depend on
the API server that is asked: consistent reads never go back in time (kubernetes/kubernetes#59848).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2 resources=2
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 readers=2 reads=4 read=consistent move=true watchers=2
		keys=4 items=2 await-ready=true breaks=1 restarts=2 etcd-restarts=1 to-rest=true steps=40000`),
	About:  testbed.Reaches{"cache: list failed": 60, "etcd: restart": 75},
	Active: testbed.Active{"shared-stream=true": ""},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, watches.EventTypes, caches.JustifiedRefusals,
		caches.NeededProgress,
		caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp, watches.KeepUp, watches.BookmarksCome,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd),
		known.BackInTime(reads.Monotonic),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData, reads.Sequential, reads.Monotonic),
	),
})

var SharedStream = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "shared-stream",
	Summary: "the caches of two resources watch on one gRPC stream: progress that one asks for reaches the other too early",
	Doc: `etcd answers a progress request to every watch of its stream. So the caches of two resources on one stream hear of each
other's progress, which costs messages and looks harmless. It is not: Created of a watch can be sent before progress that
was queued when that watch did not exist (see rewatch). With a stream for each resource (shared-stream=false) a cache has to
lose its watch and begin anew on a live stream; here it is enough that one cache starts while a read of the other waits,
so the violation shows ten times as often. KEP-2340 warns of sharing for its cost alone ("Performance", kubernetes/kubernetes#114458).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 unmask=created caches=1 resources=2 shared-stream=true
		writers=2 writes=2 noise=1 noise-writes=1 readers=2 reads=2 read=consistent keys=2 items=2 await-ready=true
		steps=20000`),
	About:  testbed.Reaches{"clientv3: a watch waits until the one before it is created": 40},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.MatchEtcd, caches.NeededProgress},
	Known: slices.Concat(
		known.When(overtakes, known.WaitsUntilFresh, known.RequestsProgress, known.TrustsEtcd, testbed.Unless(known.IsLibrary)).
			Violates(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd).
			Because("progress that one cache requests speaks for the other, too soon (etcd-io/etcd#15220)"),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var LaggingMember = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-member",
	Summary: "watches are served by a member of etcd that is behind the one that takes reads and writes",
	Doc: `A linearizable read waits until its member has applied what was committed (ReadIndex). A watch has no such step: its
events and its progress are of the member's own store, however far that is. KEP-2340 is safe all the same, because the cache waits for a
revision that a linearizable read returned. To take an echoed progress request for a proof of freshness (the first draft, "Potential
Future Improvements") is wrong on every etcd: the member that answers may lack a write that another one has confirmed.

A watch that begins at a revision which its member does not have yet is sent progress below it by releases before 3.4.38,
3.5.22 and 3.6.2 (etcd-io/etcd#20221): the cache's resourceVersion goes back behind its own list.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 lagging=true
		writers=2 writes=3 noise=1 noise-writes=1 readers=2 reads=3 read=consistent keys=2 items=1 await-ready=true
		breaks=1 restarts=1 steps=20000`),
	About:  testbed.Reaches{"etcd: entry of the log taken from the leader": 75},
	Active: testbed.Active{"progress-echo=none": "cache=progress-echo"},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd, caches.NeededProgress},
	Known: slices.Concat(
		known.EchoOfOther(reads.Linearizable, reads.LinearizableData),
		known.Rarely(known.EchoOfOther(reads.Sequential)),
		known.ProgressBelowList(caches.MatchEtcd),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var FollowerReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "follower-reads",
	Summary: "an API server reads from a member of etcd that follows, which asks the leader twice what is committed",
	Doc: `Before a linearizable read the member asks what is committed (ReadIndex), and waits until it has applied that. The answer may take so long
that it asks once more. Both answers come in the end, the second one perhaps in the middle of a later read, of which it says nothing.
In etcd-io/etcd#20418 the two requests had one id, so that what was said to the first let later reads go, with an index from before
them: the revision that a consistent LIST waits for is old then, and the cache is right. Upstream it takes a leader that another one has
replaced and that does not know it: acknowledgements of heartbeats are what comes late there. The bed has one leader, so that its
answer is what comes late here. Messages take up to a second, as when a process is paused for a moment.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 lagging=true reads-lag=true read-index-retries=40
		writers=2 writes=40 readers=2 reads=20 read=consistent keys=2 items=1 await-ready=true think=1s
		mode=timed network=1s scheduling=500us horizon=1m steps=200000`),
	About:  testbed.Reaches{"etcd: follower asks once more what is committed": 75},
	Active: testbed.Active{"read-index-ids=reused": ""},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd},
	Known: slices.Concat(
		known.When(known.ReusesReadIndexIDs).RarelyViolates(reads.Linearizable, reads.LinearizableData, reads.Sequential).
			Because("reads are let go by the answer to an earlier one, whose request was repeated with the same id (etcd-io/etcd#20418)"),
		known.Rarely(slices.Concat(
			known.EchoOfOther(reads.Linearizable, reads.LinearizableData, reads.Sequential),
			known.ProgressBelowList(caches.MatchEtcd),
			known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential),
			known.StaleReads(reads.Linearizable, reads.LinearizableData),
		)),
	),
})
