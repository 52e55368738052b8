package etcdrequests

import (
	"time"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/workload"
)

var LeaseTimes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lease-times",
	Summary: "clients of etcd's own API draw leases and keep them alive, and they expire by the clock, while etcd loses its leader or restarts",
	Doc: `A lease lives for its whole time to live from its grant and from each renewal, and not much longer: the leader's lessor
looks for expired leases every 500 ms. A new leader, or a new process, knows of no renewal and gives each lease its whole time again, and
an election timeout more. No lease expires while there is no leader.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Workload: workload.Options{
			Read: "consistent", Keys: 3, Items: 2, History: 1, Think: 2 * time.Second, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 20, Leases: true},
		},
		Faults: faults.Options{LeaderLosses: 1, EtcdRestarts: 1, For: 15 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 60 * time.Second, Steps: 200_000,
		},
	},
	Draws: []option.Range{
		option.From("drawn-clients", "1", "2", "6"), option.From("drawn-requests", "8", "30"), option.From("keys", "1", "2"),
		option.From("leader-losses", "0", "2"), option.From("etcd-restarts", "0", "2"), option.From("election-timeout", "500ms", "3s"),
		option.From("think", "500ms", "4s"),
	},
	Claims: []*testbed.Property{etcdapi.LeasesKept, etcdapi.LeasesExpire, etcdapi.Answers, reads.Linearizable},
	Known:  leaderChanges(),
})

var LeasesWithoutLeader = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leases-without-leader",
	Summary: "clients of etcd's own API draw leases and puts on them, while etcd loses its leader at any point",
	Doc: `Only a leader looks after leases. A member that stops to lead lets all of them live for ever, until the next leader gives each its
whole time again. A renewal asks the next leader. What is left of a lease is no answer of a member that does not lead any more.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Workload: workload.Options{
			Read: "consistent", Keys: 2, Items: 2, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 12, Leases: true},
		},
		Faults: faults.Options{LeaderLosses: 3},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("drawn-clients", "1", "2", "6"), option.From("drawn-requests", "6", "20"), option.From("keys", "1", "3"), option.From("leader-losses", "1", "5"),
	},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData},
	Known:  leaderChanges(),
})

// leaderChanges are the rows of a scenario in which leases are asked for while the leader
// changes.
func leaderChanges() []testbed.Row {
	return known.When(known.LeaseTimeLeftOfAny).RarelyViolates(etcdapi.Answers).
		Because("a member that has stopped to lead says that a lease has 292 years left (etcd-io/etcd#17642)")
}
