package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var UnevenAttempts = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "uneven-attempts",
	Summary: "the client library of one API server tries a read twice, that of the other 100 times, and etcd answers with errors",
	Doc: `How often a client library tries is its own setting, and API servers of one cluster may differ in it, as in the middle of an
upgrade. Each gives a read up when it has tried as often as it may, and not before. The one that tries twice gives some up.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2, ClientWrites: true, ServerSettings: []string{"cache-2:unary-retries=2"}},
		Workload: workload.Options{Read: "consistent", Keys: 3, Items: 4, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 6}},
		Faults:   faults.Options{Timeouts: 8, LeaderChanges: 4},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Repeated, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})
