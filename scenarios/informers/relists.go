package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var DuringRelist = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-during-relist",
	Summary: "informers stream their list while etcd's answers to the API server are held up, and the cache lists again meanwhile",
	Doc: `A watch with initial events and without a resourceVersion first asks etcd for its revision. An API server has a connection to
each member of etcd: here the one to the leader lets nothing through for some time, while the other member serves the watch of the cache. That
watch breaks and is compacted before it resumes, so that the cache ends the watches that it knows, and lists. A watch whose answer
gets through before that of the list must not be registered: it would begin with the old state and miss what the
list brings (kubernetes/kubernetes#116122). Writes go on, so that the next event shows that something is missing.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1, Lagging: true},
		Workload: workload.Options{
			Writers: 1, Writes: 60, Read: "consistent", Keys: 8, Items: 8, Compactions: 30, CompactNewest: true,
		},
		Informers: testbed.InformerOptions{Count: 12, Options: informer.Options{List: informer.ByWatchList, RV: informer.RVNewest}},
		Faults:    faults.Options{Breaks: 4, InformerRestarts: 12, ReadPartitions: 6},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: streamedClaims,
	Known: slices.Concat(
		known.StreamingInformers(),
		known.BackInTime(informers.Monotonic),
		known.Rarely(known.ProgressBelowList(watches.InitialEvents, informers.MatchEtcd, informers.Monotonic)),
		known.Rarely(known.StaleRelist()),
	),
})
