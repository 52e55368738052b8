package watchlists

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Emptied = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-list-emptied",
	Summary: "clients ask for initial events while the only object comes and goes: no watch is sent a deletion that its initial events have, timed",
	Doc: `The cache has taken in the deletion, and its dispatcher has not sent it on, when a watch begins with the state: there are no initial
events, and the deletion is in the channel of the watch soon after. A watch drops what is not newer than its state. In Kubernetes 1.7 it went by
the initial events alone, and with none it sent the deletion (kubernetes/kubernetes#49745). Clients ask for what is as new as etcd, so that they wait for the very
event.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 15, Deletes: true, Think: 100 * time.Millisecond, Read: "consistent", AwaitReady: true, Keys: 1, Items: 1,
			ListWatch: workload.ListWatchOptions{Clients: 4, Rounds: 6, RV: "unset"},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: 20 * time.Millisecond, Scheduling: 5 * time.Millisecond, Horizon: 20 * time.Second,
			Steps: 100_000,
		},
	},
	Draws: []option.Range{
		option.From("list-watchers", "2", "6"), option.From("list-rv", "0", "given", "every"), option.From("writers", "2"),
		option.From("caches", "2"), option.From("keys", "2"),
	},
	Claims: []*testbed.Property{
		watches.InitialEvents, watches.EventTypes, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable,
	},
	Known: slices.Concat(
		known.Rarely(known.EarlyInitialEvents(watches.InitialEvents, watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable)),
		known.RepeatedByClient(watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable),
	),
})
