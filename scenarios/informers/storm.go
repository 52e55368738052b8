package informers

import (
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var CostStorm = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "cost-storm",
	Summary: "what it costs when all informers start over at once: requests to API servers and to etcd",
	Doc: `Twenty informers of three API servers begin, and all of them restart at the same time some seconds later. What they send,
and what API servers send to etcd for them, is counted. LISTs at resourceVersion "0" need nothing of etcd once the caches have
listed, LISTs of the newest state and streams make each API server read etcd's revision for each of them, and with --cache direct
etcd answers every LIST. With informers=1000 it is the storm of KEP-3157.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 3},
		Workload:  workload.Options{Writers: 1, Writes: 4, Read: "consistent", AwaitReady: true, Keys: 2, Items: 20, Think: time.Second},
		Informers: testbed.InformerOptions{Count: 20, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{InformerStorms: 1, For: 10 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 10 * time.Minute,
			Steps: 10_000_000,
		},
	},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})
