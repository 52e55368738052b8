package seats

import (
	"time"

	"github.com/watchbed/watchbed/properties/load"
	"github.com/watchbed/watchbed/properties/timers"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Waits = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-waits",
	Summary: "more LISTs than seats while a watch is clogged: each waits in its queue for two seconds at most, and is then refused",
	Doc: `With a clock. The watch of an API server is clogged for up to eight seconds, and a LIST that has a seat has it for three,
until the cache is fresh or the LIST is refused. Twelve clients share three queues, and what finds no seat waits there. When the oldest
of a queue has waited for two seconds, it is refused with 429, and those that came later wait on.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("seats=4", "queues=3", "hand-size=1", "queue-wait=2s"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 24, NoiseFor: 12 * time.Second, Read: "consistent", AwaitReady: true, Items: 10,
			Keys: 10, Think: 2 * time.Second,
			Polling: workload.PollingOptions{Clients: 12, Patience: time.Minute, Honour: true},
		},
		Faults: faults.Options{For: 8 * time.Second, Clog: true},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 12 * time.Second,
			Steps: 100_000,
		},
	},
	Claims: []*testbed.Property{load.SeatsKept, timers.Owned},
})
