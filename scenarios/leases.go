package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/workload"
)

var Leases = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leases",
	Summary: "clients of etcd's own API draw leases and puts on them, leases expire at any point, and streams watch what becomes of the keys",
	Doc: `The requests of any-etcd-requests, and leases: granted, revoked, kept alive and asked for their keys, puts that attach a key
to one, detach it or keep it, and compares of leases. A lease may expire at any point. Its keys are deleted by one entry of the log, at one
revision, and a watch that wants previous values is sent their last ones. etcd may lose its leader, or restart: then no lessor looks after expiry, and each lease has its whole time again.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept progress-requests=periodic watch-options=with-watch
		read=consistent streams=3 keys=3 items=2 history=1 drawn-clients=4 drawn-requests=18 drawn-leases=true
		etcd-restarts=1 to-rest=true steps=20000`),
	Draws: option.Ranges(`keys=1|2|6 items=0|1|5 drawn-clients=1|2|4 drawn-requests=6|12 streams=1|3 history=0|3 drawn-nested=true
		lagging=true etcd-restarts=0`),
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		if i == 2 {
			return watchesPreviousValues(p, i)
		}
		return plans.AnyWatches(&p.Workload, i)
	},
	About:  testbed.Reaches{"etcd: lease expires": 45, "etcd: lease revoked": 50},
	Active: testbed.Active{"lease-renewal-waits=unknown": "etcd=3.6.16"},
	Claims: []*testbed.Property{
		etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData,
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Filter, watches.KeepUp, watches.PrevKV,
	},
	Known: slices.Concat(anyWatches(), afterRestarts()),
})

var LeaseTimes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lease-times",
	Summary: "clients of etcd's own API draw leases and keep them alive, and they expire by the clock, while etcd loses its leader or restarts",
	Doc: `A lease lives for its whole time to live from its grant and from each renewal, and not much longer: the leader's lessor
looks for expired leases every 500 ms. A new leader, or a new process, knows of no renewal and gives each lease its whole time again, and
an election timeout more. No lease expires while there is no leader. What an overloaded etcd (overloads) refuses is proposed again after 3 s.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept
		read=consistent keys=3 items=2 history=1 think=2s drawn-clients=4 drawn-requests=20 drawn-leases=true
		etcd-restarts=1 leader-losses=1 faults-for=15s mode=timed network=1ms scheduling=500us horizon=1m steps=200000`),
	Draws: option.Ranges(`drawn-clients=1|2|6 drawn-requests=8|30 keys=1|2 leader-losses=0|2 etcd-restarts=0|2
		election-timeout=500ms|3s think=500ms|4s overloads=2 priority-requests=none|lease-revoke`),
	About: testbed.Reaches{"etcd: lease expires": 40},
	Active: testbed.Active{
		"priority-requests=lease-revoke": "overloads=2",
		"lease-renewals=answered-only":   "",
		"promoted-leases=forgotten":      "",
	},
	Claims: []*testbed.Property{etcdapi.LeasesKept, etcdapi.LeasesExpire, etcdapi.Answers, etcdapi.Headers, reads.Linearizable},
	Known:  leaderChanges(),
})

var LeasesWithoutLeader = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leases-without-leader",
	Summary: "clients of etcd's own API draw leases and puts on them, while etcd loses its leader at any point",
	Doc: `Only a leader looks after leases. A member that stops to lead lets all of them live for ever, until the next leader gives each its
whole time again. A renewal asks the next leader. What is left of a lease is no answer of a member that does not lead any more.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept read=consistent keys=2 items=2 drawn-clients=4 drawn-requests=12 drawn-leases=true
		leader-losses=3 to-rest=true steps=20000`),
	Draws:  option.Ranges(`drawn-clients=1|2|6 drawn-requests=6|20 keys=1|3 leader-losses=1|5`),
	About:  testbed.Reaches{"etcd: write waits for a leader": 70, "etcd: lease expires": 45},
	Active: testbed.Active{"lease-time-left=of-any": "etcd=3.6.16"},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData},
	Known:  leaderChanges(),
})

// leaderChanges are the rows of a scenario in which leases are asked for while the leader
// changes.
func leaderChanges() []testbed.Row {
	return known.When(known.LeaseTimeLeftOfAny).RarelyViolates(etcdapi.Answers).
		Because("a member that has stopped to lead says that a lease has 292 years left (etcd-io/etcd#17642)")
}
