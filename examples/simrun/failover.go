package main

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Failover is a scenario of one's own: a controller writes an object, fails over to the other API server, and lists. It
// must find its own write. With --set read=any the controller asks for
// resourceVersion "0", and may find an older state.
var Failover = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "failover",
	Summary: "a controller writes, fails over to the other API server, and lists: it finds its own write",
	Doc:     "Two API servers over one etcd. Watch streams break, and one API server restarts.",
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{OwnReaders: 2, Rounds: 3, Read: "consistent", AwaitReady: true, Keys: 2},
		Faults:   faults.Options{Breaks: 1, Restarts: 1},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.ReadYourWrites, NeverEmpty},
})
