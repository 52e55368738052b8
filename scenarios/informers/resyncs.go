package informers

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var HandlersResync = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-handlers-resync",
	Summary: "handlers of a shared informer with periods of 30, 60 and 90 seconds are told of everything once more, each by its own period",
	Doc: `With a clock. The informer looks every 30 seconds whose period is over (resyncCheckPeriod, the shortest one), and what a resync tells goes to those
handlers alone. The third handler is added while the informer runs, so that its periods begin between two looks, and each resync waits for the next one. Watches
break and end, and some requests are refused, so that the informer lists: looks begin anew then, and what has changed
is told to all handlers.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Writers: 1, Writes: 12, Deletes: true, Read: "consistent", AwaitReady: true, Keys: 2, Items: 3, Think: 90 * time.Second},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List: informer.ByListWatch, RV: informer.RVNewest,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 2, Late: 1, After: 45 * time.Second, Resync: 30 * time.Second},
		}},
		Faults: faults.Options{InformerBreaks: 1, InformerRefusals: 4, For: 8 * time.Minute},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 12 * time.Minute, Steps: 100_000,
		},
	},
	Claims: []*testbed.Property{informers.HandlerResyncs, informers.HandlerKnows, informers.HandlerOrder, informers.HandlerSynced, informers.MatchEtcd},
	Known:  slices.Concat(known.Rarely(known.BackInTime(informers.HandlerSynced, informers.MatchEtcd))),
})
