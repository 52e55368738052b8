package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var GuardOldEtcd = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-old-etcd",
	Summary: "etcd is too old from the start: the version check sends consistent LISTs to etcd, and none of them lacks a write",
	Doc: `issue-15220 behind the version check that was shipped (kubernetes/kubernetes#123192). Until the first member of etcd
has said its version, and for good once one said a version without the fixes, every consistent LIST is etcd's. With
--set version-check=none it is issue-15220 again. With version-check=kep-ga an API server in front of an etcd without the fix
does not start at all: nothing is exercised, and the verdict is vacuous.`,
	Params: testbed.With(`etcd=3.5.7 cache=kep-2340 caches=1 version-check=shipped
		writers=2 writes=3 readers=2 reads=3 read=consistent keys=2 await-ready=true at-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: etcd endpoint too old": 80},
	Draws:  drawsGuards,
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var GuardMixed = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-mixed-members",
	Summary: "two members of etcd, one too old: between their two answers the version check trusts the cluster",
	Doc: `The member that all clients are connected to is too old, another one is not. The version check that was shipped asks each
by itself: the first good answer turns consistent reads from the cache on, the first bad one turns them off for good. A LIST
that comes in between is answered from a cache whose watch the old member serves, and may lack a completed write
(etcd-io/etcd#15220). The KEP's policies wait for all members before they start, and are safe here: try
--set version-check=kep-beta.`,
	Params: testbed.With(`etcd=3.5.7 cache=kep-2340 caches=1 members=3.5.13 version-check=shipped
		writers=2 writes=3 readers=2 reads=3 read=consistent keys=2 await-ready=true steps=20000`),
	About:  testbed.Reaches{"cache: consistent reads were supported until another endpoint answered": 35},
	Draws:  drawsGuards,
	Active: testbed.Active{"members=3.5.7": "members=3.6.16"},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.When(known.ProgressOvertakesEvents, known.WaitsUntilFresh, known.RequestsProgress, testbed.Unless(known.ChecksAllMembers), testbed.Unless(known.FollowsStreams)).
			RarelyViolates(reads.Linearizable, reads.LinearizableData).
			Because("the member that serves is too old, and the cache trusts it until that member says so (etcd-io/etcd#15220)"),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

// oldMemberLater is etcd-io/etcd#15220 of an etcd that serves later.
var oldMemberLater = slices.Concat(
	known.When(known.OldMemberComes, known.WaitsUntilFresh, known.RequestsProgress, known.TrustsEtcd, testbed.Unless(known.FollowsStreams)).
		Violates(reads.Linearizable, reads.LinearizableData).
		Because("the cache trusts the etcd that it could ask, and an older one serves later (etcd-io/etcd#15220)"),
	known.StaleReads(reads.Linearizable, reads.LinearizableData),
)

var GuardUnasked = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-unasked-member",
	Summary: "a member too old to be trusted was down when the API server started, and then takes over",
	Doc: `The version check hears from the member that serves, and nothing from one that is down. The check that was shipped goes
on asking, after up to 15 s; the KEP warns and goes on. When the member that was down takes over, requested progress
overtakes events (etcd-io/etcd#15220), and the cache still trusts it: until the next attempt in what was shipped, for good
with the KEP's policies.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 members=3.5.7! version-check=shipped
		writers=2 writes=3 readers=2 reads=3 read=consistent keys=2 await-ready=true
		failovers=1 at-rest=true steps=20000`),
	About:  testbed.Reaches{"etcd: another member serves": 75},
	Draws:  drawsGuards,
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known:  oldMemberLater,
})

var GuardDowngrade = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-downgrade",
	Summary: "etcd is downgraded after the version check has passed: a consistent LIST lacks a completed write",
	Doc: `KEP-2340 checks the version when the API server starts, because "we generally don't expect etcd clusters to
downgrade". This scenario breaks that assumption: the cluster comes back as 3.5.7 under an API server that has seen a newer one, requested
progress overtakes events again (etcd-io/etcd#15220), and the version is not asked for a second time.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 version-check=shipped
		writers=2 writes=3 readers=2 reads=3 read=consistent keys=2 await-ready=true
		downgrade=3.5.7 at-rest=true steps=20000`),
	About:  testbed.Reaches{"etcd: downgraded": 75},
	Draws:  drawsGuards,
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.ServedAsPromised, caches.StartsAsChecked},
	Known:  oldMemberLater,
})

var GuardLockedGate = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-locked-gate",
	Summary: "a gate that is locked to true is set to false on the command line: the API server does not start, however new etcd is",
	Doc: `With KEP-2340 at GA the gate ConsistentListFromCache cannot be switched off any more. An API server that is told to do so
ends before it asks etcd anything. Its clients get no answer, and no refusal that would let them wait.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1 version-check=kep-ga consistent-list-from-cache=disabled
		writers=1 writes=2 readers=2 reads=2 read=consistent keys=2 restarts=1 to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: request to an API server that has not started": 80},
	Claims: []*testbed.Property{caches.StartsAsChecked, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft},
})

var GuardInsists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-insists",
	Summary: "etcd is too old and the gate was enabled on the command line: the API server does not start",
	Doc: `With KEP-2340 at Beta an old member of etcd switches consistent reads from the cache off, with a warning, unless the gate
ConsistentListFromCache was enabled explicitly. Then the API server ends before it serves. With an etcd that has the fix of
etcd-io/etcd#15220 it starts.`,
	Params: testbed.With(`etcd=3.5.7 cache=kep-2340 caches=1 members=3.5.13 version-check=kep-beta consistent-list-from-cache=enabled
		writers=1 writes=2 readers=2 reads=2 read=consistent keys=2 restarts=1 to-rest=true steps=20000`),
	About:  testbed.Reaches{"cache: API server does not start, etcd too old": 80},
	Claims: []*testbed.Property{caches.StartsAsChecked, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft},
})

var GuardUpgrade = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-upgrade",
	Summary: "etcd is upgraded under an API server that found it too old: consistent LISTs are etcd's until the API server restarts",
	Doc: `The version check of KEP-2340 finds etcd 3.5.7 and switches consistent reads from the cache off. Then the cluster comes back
as 3.5.13. The process that runs does not ask again; one that starts after that must serve consistent LISTs from the cache, and
must remember nothing of the time before.`,
	Params: testbed.With(`etcd=3.5.7 cache=kep-2340 caches=1 version-check=kep-beta
		writers=2 writes=3 readers=2 reads=3 read=consistent keys=2 await-ready=true
		restarts=2 downgrade=3.5.13 steps=20000`),
	About:  testbed.Reaches{"cache: ConsistentListFromCache disabled, etcd too old": 40},
	Draws:  drawsGuards,
	Claims: []*testbed.Property{caches.StartsAsChecked, reads.Linearizable, reads.LinearizableData},
	Known:  known.StaleReads(reads.Linearizable, reads.LinearizableData),
})

var GuardSlowMember = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-slow-member",
	Summary: "etcd takes longer to say its version than the API server waits: it starts with a warning, after two seconds",
	Doc: `Messages take up to 1.5 s until the cache is ready. KEP-2340 has the API server warn and go on if a member does not say its
version; what it hears after that changes nothing.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 members=3.5.13,3.6.16 version-check=kep-beta
		writers=1 writes=3 readers=2 reads=3 read=consistent keys=2 items=1 await-ready=true think=1s
		mode=timed network=150ms scheduling=1ms horizon=30s steps=100000`),
	About:  testbed.Reaches{"cache: API server starts with a warning, version of etcd unknown": 40},
	Draws:  drawsGuards,
	Claims: []*testbed.Property{caches.StartsAsChecked, reads.Linearizable},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents, known.WaitsUntilFresh, known.RequestsProgress).RarelyViolates(reads.Linearizable).
			Because("a member that does not say its version in time is trusted, however old it is (etcd-io/etcd#15220)"),
		known.StaleReads(reads.Linearizable),
	),
})

var NotifyAndGate = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "notify-and-gate",
	Summary: "etcd with progress notifications and without, the gate ConsistentListFromCache on and off: all four must work (KEP-2340, e2e tests)",
	Doc: `LISTs and GETs in every way, and watches, of two API servers, while a resource is hardly written and others are. "Introduce e2e
test that run both with etcd progress notify events enabled and disable to ensure both configurations work correctly (both with this
feature enabled and disabled)". As it stands, etcd notifies every 5 s, as Kubernetes' own test clusters have it, and the gate is on.
--set notify=10m is etcd's default: no notification comes within the run. --set consistent-list-from-cache=disabled is the gate off.
What each of the four comes to on three releases of etcd, and what it costs, is in scenarios/guards.md.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2 notify=5s
		writers=1 writes=3 deletes=true noise=1 noise-writes=60 noise-for=30s readers=4 reads=16 gets=8 read=seen
		move=true watchers=2 keys=2 items=2 await-ready=true think=2s
		breaks=2 restarts=1 etcd-restarts=1 faults-for=5s mode=timed network=1ms scheduling=500us horizon=1m
		steps=200000`),
	About: testbed.Reaches{"etcd: ticker requests progress": 70, "etcd: restart": 75},
	Claims: []*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.NotOlderThan, reads.AnswersInTime, caches.MatchEtcd,
		watches.Ordered, watches.Unique, watches.Reliable, caches.ServedAsPromised, caches.NeededProgress,
		caches.JustifiedRefusals,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.EarlyVersions(caches.MatchEtcd),
		known.ResumedWatches(reads.NotOlderThan, watches.Ordered, watches.Unique, watches.Reliable),
		known.ReadsThatHang(known.WaitsUntilFresh),
		known.Rarely(known.NoProgress(known.ServesStale)),
		known.When(known.GateIsOff, known.AnswersLists, known.ReadsNameVersion, testbed.Unless(known.NotifiesEvery(250*time.Millisecond))).
			Violates(reads.AnswersInTime).
			Because("no progress is requested for a LIST that names a resourceVersion, and the next event or notification of a quiet resource comes too late"),
		known.When(known.AwaitsNotifications, known.WaitsUntilFresh, testbed.Unless(known.NotifiesEvery(time.Second))).
			Violates(reads.AnswersInTime).
			Because("the next notification comes later than a LIST waits, which is 3 s"),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var GuardUnknownRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-unknown-requests",
	Summary: "etcd before 3.3.14 does not know progress requests: the first draft's argument for notifications, which every etcd 3.x sends",
	Doc: `The first draft of KEP-2340 rejects WatchProgressRequest because it needs etcd 3.4, and prefers notifications, "available in all etcd
3.x versions". Up to 3.3.13 recvLoop takes a request that it does not know for nothing and goes on; 3.3.14 was given progress requests
together with the client library of 3.4, and answers them as 3.4.24 does (issue-15220 --etcd 3.3.27). Noise moves the revision, the listed resource is quiet,
and writers have their turn before that.

The draft's own design (progress-requests=notify) needs no request and holds. Its 250 ms are what it wants etcd to be changed to: 3.3 has 10
minutes and no flag for it, which came with 3.4.11. With --set notify=10m no notification comes in time, the draft's detection notices that, and
etcd answers all LISTs. A cache that asks for progress hangs for three seconds: then kep-2340 refuses the LIST, and designs that fall
back have etcd answer it, too late. The version checks send all LISTs to etcd from the start: --cache v0.37.2, or --cache kep-2340 with
--set version-check=shipped or kep-beta. With kep-ga the API server does not start.`,
	Params: testbed.With(`etcd=3.3.13 cache=draft-2019 caches=1
		writers=1 writes=2 noise=1 noise-writes=20 noise-for=200ms readers=2 reads=3 read=consistent keys=2 items=2
		await-ready=true think=400ms mode=timed network=1ms scheduling=500us horizon=20s steps=200000`),
	About:  testbed.Reaches{"cache: consistent list sent to etcd, no recent progress notification": 65},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd},
	Known: slices.Concat(
		known.AwaitedProgress(),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
