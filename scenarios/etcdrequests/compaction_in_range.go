package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var CompactionInRange = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "compaction-in-range",
	Summary: "clients of etcd's own API draw requests, a Range takes its time, and compactions come meanwhile",
	Doc: `A Range holds the lock of the store until its end, and Compact takes that lock. So a Compact waits for the Range, all writes that
come after it wait with it, and no later Range goes before it. Without the lock a Range of the present would find its own revision
compacted.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "range-time=1ms"),
		Workload: workload.Options{
			Read: "consistent", Keys: 1, Items: 2, History: 4, Drawn: workload.DrawnOptions{OfEtcd: 12, Requests: 4},
		},
		Clock: testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("keys", "1", "4"), option.From("drawn-clients", "4", "16"), option.From("drawn-requests", "2", "8"), option.From("history", "0", "8"),
	},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.NothingLeft},
})
