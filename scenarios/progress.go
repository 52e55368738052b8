package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Issue15220 = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "issue-15220",
	Summary: "progress overtakes the event of the same revision: a consistent LIST lacks a completed write",
	Doc: `Writers write, readers list consistently from a cache whose watch is synced. Up to etcd 3.4.24 and 3.5.7 the
answer to a progress request goes through the control queue and overtakes the events in the watch channel
(etcd-io/etcd#15220): the cache believes it is as new as etcd said it was, and answers without the write.`,
	Params: testbed.Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Clock:    testbed.Clock{AtRest: true, Steps: 20_000},
	},
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
	Params: testbed.Params{
		Etcd: "3.5.7", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 4, Readers: 2, Reads: 2, Read: "consistent", AwaitReady: true, Keys: 2, Items: 1},
		Faults:   faults.Options{Breaks: 1},
		Clock:    testbed.Clock{Steps: 20_000},
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
	Params: testbed.Params{
		Etcd: "3.5.12", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 20, NoiseFor: 200 * time.Millisecond, Readers: 2, Reads: 3, Read: "consistent",
			AwaitReady: true, Items: 2, Keys: 2, Think: 100 * time.Millisecond,
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 20 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable},
	Known:  slices.Concat(known.AwaitedProgress(), known.StaleReads(reads.Linearizable)),
})

var QuietRange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-range",
	Summary: "without a clock: is each consistent LIST of a quiet range answered, whatever happens in which order?",
	Doc: `The revision moves between the cache's list and its watch, by a write to another prefix, and nothing moves it later. A LIST
that waits for progress is answered if one of the cache's progress requests is. Where etcd defers such a request until the stream has
sent an event (etcd-io/etcd#17507), the cache requests progress for ever. simrun prove looks for such a circle in all schedules.`,
	Params: testbed.Params{
		Etcd: "3.5.12", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Noise: 1, NoiseWrites: 1, Readers: 1, Reads: 1, Read: "consistent", AwaitReady: true, Keys: 1, Items: 1},
		Clock:    testbed.Clock{Steps: 20_000},
	},
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
	Params: func() testbed.Params {
		p := Issue17507.Params
		p.Settings = option.Settings("version-check=kep-beta")
		return p
	}(),
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable, caches.NeededProgress},
	Known:  slices.Concat(known.AwaitedProgress(), known.StaleReads(reads.Linearizable)),
})

var Recovery = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recovery",
	Summary: "streams break, etcd and the API server restart; once all is healed every consistent LIST must be served in time",
	Doc: `A safety phase with faults and wide delays, and then a liveness phase: nothing breaks any more, delays are within what is
declared, and every consistent LIST has to be served from the cache within the bound. A watch that resumed in the first
phase may be unsynced in the second, which is how a quiet range meets etcd-io/etcd#17507 long after the start.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 3, Noise: 1, NoiseWrites: 20, NoiseFor: 3 * time.Second, Readers: 2, Reads: 8,
			Read: "consistent", AwaitReady: true, Items: 2, Keys: 2, Think: time.Second,
		},
		Faults: faults.Options{Breaks: 2, Restarts: 1, EtcdRestarts: 1, For: 2 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second,
			Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{reads.AnswersInTime, reads.Linearizable, caches.NeededProgress, caches.ReopensInTime, caches.TimersOwned},
	Known: slices.Concat(
		known.ReadsThatHang(known.WaitsUntilFresh),
		known.EarlyProgress(reads.Linearizable),
		known.StaleReads(reads.Linearizable),
	),
})
