package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
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
