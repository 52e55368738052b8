package seats

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// clogged: so many clients list so many objects, each about once a second, while the watch
// of their API server is clogged for up to eight seconds and other resources are written.
func clogged(clients, objects int) testbed.Params {
	return testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Noise: 1, NoiseWrites: 24, NoiseFor: 12 * time.Second, Read: "consistent", AwaitReady: true, Items: objects,
			Keys: objects, Think: 2 * time.Second,
			Polling: workload.PollingOptions{Clients: clients, Patience: time.Minute, Honour: true},
		},
		Faults: faults.Options{For: 8 * time.Second, Clog: true},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 12 * time.Second,
			Steps: 100_000,
		},
	}
}
