package watchlists

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Behind = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-behind",
	Summary: "informers start at an API server whose cache is behind, beside one that is fresh (KEP-3157, step 2b)",
	Doc: `The watch of one of two API servers gets nothing for up to thirty seconds, while objects are written. The bookmark timer
finds the end of initial events, as KEP-3157 has it: an informer that starts at this API server is sent an old state at once, and
the end of it when the cache has caught up; the channel of its watcher fills with what the cache takes in then. The options that
the document keeps for beta are values of initial-events-buffer. With close-enough such a watch does not begin: after ten seconds
the connection is torn down, and the informer connects to the other API server. The figures are in scenarios/watchlists.md.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-3157",
		Settings: option.Settings("watch-buf=8", "list-cap=600", "notify=5s"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 60, Think: 500 * time.Millisecond, Deletes: true, Read: "consistent", Keys: 10, Items: 10,
			AwaitReady: true,
		},
		Informers: testbed.InformerOptions{Count: 4, Options: informer.Options{List: informer.ByWatchList}},
		Faults:    faults.Options{Clog: true, InformerRestarts: 8, For: 30 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 20 * time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second,
			Steps: 400_000,
		},
	},
	Claims: []*testbed.Property{watches.InitialEvents, informers.MatchEtcd, informers.Monotonic, informers.CatchUp},
	Known: slices.Concat(
		known.EarlyInitialEvents(watches.InitialEvents, informers.MatchEtcd, informers.CatchUp),
		known.When(known.InjectsEvents).Violates(watches.InitialEvents).
			Because("an initial event may follow a newer one of the same object (KEP-3157)"),
	),
})
