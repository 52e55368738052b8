package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var Issue15220 = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "issue-15220",
	Summary: "progress overtakes the event of the same revision: a consistent LIST lacks a completed write",
	Doc: `Writers write, readers list consistently from a cache whose watch is synced. Up to etcd 3.4.24 and 3.5.7 the
answer to a progress request goes through the control queue and overtakes the events in the watch channel
(etcd-io/etcd#15220): the cache believes it is as new as etcd said it was, and answers without the write.`,
	Params: testbed.With(`etcd=3.5.7 cache=kep-2340 caches=1
		writers=2 writes=3 readers=2 reads=3 read=consistent keys=2 await-ready=true at-rest=true steps=20000`),
	About:  testbed.Reaches{"etcd: progress overtook events": 30},
	Active: testbed.Active{"etcd-program=simulated@v3.5.7": ""},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var Issue15220CatchingUp = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "issue-15220-catching-up",
	Summary: "the same with a watcher that has history to catch up on: 3.5.7 answers a progress request too early",
	Doc: `The watch stream breaks, so that the cache's watcher resumes below the present revision and is unsynced. Up to
3.4.24 and 3.5.7 a progress request is answered with the present revision all the same (etcd-io/etcd#15220).`,
	Params: testbed.With(`etcd=3.5.7 cache=kep-2340 caches=1
		writers=1 writes=4 readers=2 reads=2 read=consistent keys=2 items=1 await-ready=true breaks=1 steps=20000`),
	About: testbed.Reaches{
		"etcd: progress overtook events": 15, "clientv3: a watch resumes that was never created": 55,
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, caches.MatchEtcd},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var Issue17507 = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "issue-17507",
	Summary: "progress never comes on a quiet range: consistent LISTs hang until they time out",
	Doc: `Noise on other prefixes moves the revision between the cache's list and its watch, so that the watcher is unsynced
when the first progress request comes. From 3.4.25 and 3.5.8 to 3.4.30 and 3.5.12 that request is deferred until the
stream has sent an event, and on a quiet range there is none (etcd-io/etcd#17507). Later requests are ignored while one is deferred.`,
	Params: testbed.With(`etcd=3.5.12 cache=kep-2340 caches=1
		noise=1 noise-writes=20 noise-for=200ms readers=2 reads=3 read=consistent keys=2 items=2 await-ready=true
		think=100ms mode=timed network=1ms scheduling=500us horizon=20s steps=200000`),
	About:  testbed.Reaches{"etcd: unsynced watcher synced without a word": 50, "etcd: progress deferred": 10},
	Active: testbed.Active{"etcd=3.5.12": "etcd=3.5.13", "member-settings=3.5.13:progress=deferred": "etcd=3.5.13"},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable},
	Known:  slices.Concat(known.AwaitedProgress(), known.StaleReads(reads.Linearizable)),
})

var QuietRange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-range",
	Summary: "without a clock: is each consistent LIST of a quiet range answered, whatever happens in which order?",
	Doc: `The revision moves between the cache's list and its watch, by a write to another prefix, and nothing moves it later. A LIST
that waits for progress is answered if one of the cache's progress requests is. Where etcd defers such a request until the stream has
sent an event (etcd-io/etcd#17507), the cache requests progress for ever. simrun prove looks for such a circle in all schedules.`,
	Params: testbed.With(`etcd=3.5.12 cache=kep-2340 caches=1
		noise=1 noise-writes=1 readers=1 reads=1 read=consistent keys=1 items=1 await-ready=true steps=20000`),
	About:  testbed.Reaches{"cache: read waits": 25},
	Claims: []*testbed.Property{reads.Answered, reads.Linearizable},
	Known: slices.Concat(
		// A cache that numbers its requests never comes to the same state again.
		known.Where(known.Violating(known.NoProgress(known.WaitsUntilFresh), reads.Answered), testbed.Unless(known.EchoProves)),
		known.Violating(known.OneRequest(known.WaitsUntilFresh), reads.Answered),
		known.StaleReads(reads.Linearizable),
	),
})

var GuardQuietRange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-quiet-range",
	Summary: "the version check of the KEP asks for one fix, not for the next: consistent LISTs hang all the same",
	Doc: `issue-17507 behind the version check of KEP-2340, which passes every etcd with the fix of etcd-io/etcd#15220: 3.4.25
and 3.5.8 on, whose fix brought #17507. What was shipped asks for 3.4.31 and 3.5.13
(kubernetes/kubernetes#123192): with --set version-check=shipped etcd answers, and in time.`,
	Params: Issue17507.Params.But("version-check=kep-beta"),
	About:  testbed.Reaches{"cache: read served after waiting": 70},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable, caches.NeededProgress},
	Known:  slices.Concat(known.AwaitedProgress(), known.StaleReads(reads.Linearizable)),
})

var Recovery = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recovery",
	Summary: "streams break, etcd and the API server restart; once all is healed every consistent LIST must be served in time",
	Doc: `A safety phase with faults and wide delays, and then a liveness phase: nothing breaks any more, delays are within what is
declared, and every consistent LIST has to be served from the cache within the bound. A watch that resumed in the first
phase may be unsynced in the second, which is how a quiet range meets etcd-io/etcd#17507 long after the start.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=1 writes=3 noise=1 noise-writes=20 noise-for=3s readers=2 reads=8 read=consistent keys=2 items=2
		await-ready=true think=1s
		breaks=2 restarts=1 etcd-restarts=1 faults-for=2s mode=timed network=1ms scheduling=500us horizon=1m
		steps=200000`),
	About: testbed.Reaches{"etcd: restart": 75, "cache: relist": 80, "clientv3: the stream to etcd breaks": 70},
	Active: testbed.Active{
		"client=3.5.7":            "",
		"mode=untimed":            "",
		"accumulate-period=100ms": "cache=accumulated-reads",
		"notify-within=20ms":      "notify-detection=on,notify=150ms",
		"slow-wait=10ms":          "cache=dynamic-fallback",
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable, caches.NeededProgress, caches.ReopensInTime, caches.TimersOwned},
	Known: slices.Concat(
		known.ReadsThatHang(known.WaitsUntilFresh),
		known.EarlyProgress(reads.Linearizable),
		known.StaleReads(reads.Linearizable),
	),
})
