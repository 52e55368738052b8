package main

import (
	"time"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Leaseholder is a scenario with a client of one's own: it holds one lease with a key on it, keeps it alive, is late,
// and grants the same lease again. That is refused if the lease is still there, and the put fails if it is not. All of
// it is judged as what clients of the catalogue ask for.
var Leaseholder = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leaseholder",
	Summary: "a client keeps one lease alive, is late, and grants it again, while etcd loses its leader",
	Doc:     "A lease that was not kept alive in time is gone with its key. No lease is gone before its time.",
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Read: "consistent", Keys: 1},
		Faults:   faults.Options{LeaderLosses: 1, For: 10 * time.Second},
		Clock:    testbed.Clock{Mode: sim.Timed, Network: time.Millisecond, Scheduling: time.Millisecond / 2, Horizon: time.Minute, Steps: 200_000},
	},
	Clients: func(_ *testbed.Params, t *topology.Topology) []plans.Program {
		holder := plans.Program{Name: "leaseholder"}
		for _, ask := range []sim.Payload{
			&wire.LeaseGrantRequest{ID: 7, TTL: 3}, &wire.PutRequest{Key: "/held", Value: "once", Lease: 7},
			&wire.LeaseKeepAliveRequest{ID: 7}, &wire.LeaseKeepAliveRequest{ID: 7},
			&wire.LeaseGrantRequest{ID: 7, TTL: 3}, &wire.PutRequest{Key: "/held", Value: "again", Lease: 7}, &wire.RangeRequest{Key: "/held"},
		} {
			holder.Steps = append(holder.Steps, workload.Step{
				To: t.Etcd, Payload: ask, Request: workload.Request(ask), Think: sim.Delay{Max: 5 * time.Second, Steps: 10},
			})
		}
		return []plans.Program{holder}
	},
	Claims: []*testbed.Property{etcdapi.LeasesKept, etcdapi.LeasesExpire, etcdapi.Answers, reads.Linearizable},
})
