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

var LaggingMember = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-member",
	Summary: "watches are served by a member of etcd that is behind the one that takes reads and writes",
	Doc: `A linearizable read waits until its member has applied what was committed (ReadIndex). A watch has no such step: its
events and its progress are of the member's own store, however far that is. KEP-2340 is safe all the same, because the cache waits for a
revision that a linearizable read returned. To take an echoed progress request for a proof of freshness (the first draft, "Potential
Future Improvements") is wrong on every etcd: the member that answers may lack a write that another one has confirmed.

A watch that begins at a revision which its member does not have yet is sent progress below it by releases before 3.4.38,
3.5.22 and 3.6.2 (etcd-io/etcd#20221): the cache's resourceVersion goes back behind its own list.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1, Lagging: true},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Noise: 1, NoiseWrites: 1, Readers: 2, Reads: 3, Read: "consistent",
			AwaitReady: true, Keys: 2, Items: 1,
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.MatchEtcd},
	Known: slices.Concat(
		known.When(known.EchoProves).Violates(reads.Linearizable, reads.LinearizableData).
			Because("the member that echoes may lack what another member has confirmed"),
		known.When(known.EchoProves).RarelyViolates(reads.Sequential).
			Because("the member that echoes may lack what another member has confirmed"),
		known.When(known.ProgressBelowStart, known.WaitsUntilFresh, known.TrustsEtcd).Violates(caches.MatchEtcd).
			Because("progress below the cache's own list takes its resourceVersion back (etcd-io/etcd#20221)"),
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, reads.Sequential),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
