package etcdrequests

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/workload"
)

var Leases = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leases",
	Summary: "clients of etcd's own API draw leases and puts on them, leases expire at any point, and streams watch what becomes of the keys",
	Doc: `The requests of any-etcd-requests, and leases: granted, revoked, kept alive and asked for their keys, puts that attach a key
to one, detach it or keep it, and compares of leases. A lease may expire at any point. Its keys are deleted by one entry of the log, at one
revision. etcd may lose its leader, or restart: then no lessor looks after expiry, and each lease has its whole time again.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "watch-options=with-watch"),
		Workload: workload.Options{
			Streams: 2, Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 18, Leases: true},
		},
		Faults: faults.Options{EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("keys", "1", "2", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "1", "2", "4"),
		option.From("drawn-requests", "6", "12"), option.From("streams", "1", "3"), option.From("history", "0", "3"),
		option.From("drawn-nested", "true"), option.From("lagging", "true"), option.From("etcd-restarts", "0"),
	},
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
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
