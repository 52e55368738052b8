package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var PhysicalCompactions = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "physical-compactions",
	Summary: "clients of etcd's own API draw compactions of which some are answered when all that they remove is gone",
	Doc: `A compaction is answered when its revision is fixed, and what is compacted is removed later, batch by batch. A physical one is
answered when that is done, behind the compactions before it. One that is refused because etcd was compacted there waits for them as
well.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "compaction-batch=1"),
		Workload: workload.Options{
			Read: "consistent", Keys: 2, Items: 2, History: 4, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 8, Physical: true},
		},
		Clock: testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("keys", "1", "4"), option.From("drawn-clients", "2", "6"), option.From("drawn-requests", "4", "12"), option.From("history", "0", "8"),
	},
	Claims: []*testbed.Property{etcdapi.Physical, etcdapi.Answers, etcdapi.NothingLeft},
})
