package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var LaggingReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-reads",
	Summary: "clients of etcd's own API read from a member that has applied less than another one, whose watches may have shown more",
	Doc: `Both members apply the entries of the log as they come. The one that takes reads may be the later one of the two: a
linearizable read asks what is committed, and waits until that is applied. A client that was sent an event by the other member finds
it there.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Topology: topology.Options{Lagging: true},
		Workload: workload.Options{
			Writers: 1, Writes: 3, Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 6},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})
