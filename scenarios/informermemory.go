package scenarios

import (
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var InformerMemory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-memory",
	Summary: "informers get all objects of 1 MB at the same time: memory for streams against memory for LISTs (KEP-3157)",
	Doc: `Bytes are counted (see "metrics" of simrun run --json). With items=400 and informers=16 or 1024 it is the manual test of
KEP-3157: with LISTs (informer-list=list-watch) 16 informers took an API server down, with streams 1,024 did not.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 1, Writes: 4, Read: "consistent", AwaitReady: true, Keys: 2, Items: 20, Think: time.Second},
		Informers: testbed.InformerOptions{ObjectBytes: 1_000_000, Count: 4, Options: informer.Options{List: informer.ByWatchList}},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 10 * time.Minute,
			Steps: 10_000_000,
		},
	},
	Claims: []*testbed.Property{informers.CatchUp},
	Known:  known.BackInTime(informers.CatchUp),
})
