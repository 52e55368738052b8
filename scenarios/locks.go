package scenarios

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
)

var Locks = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "locks",
	Summary: "clients take turns in writing what a lock protects, with and without fencing, while they pause and etcd loses its leader",
	Doc: `The keys of a lock have leases, and the client of the oldest one holds it (clientv3/concurrency). It writes while its lease lives
by its own clock, and may pause for longer than that lives between the look at the clock and the write. Half of the clients compare the create
revision of their key in the transaction that writes (Mutex.IsOwner, Election.Proclaim). The others compare nothing: what a lease protects
is the key, not what its holder writes. A client that waits asks again and again, where clientv3 watches.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept read=consistent
		etcd-restarts=1 leader-losses=1 faults-for=10s mode=timed network=1ms scheduling=500us horizon=45s steps=200000`),
	Draws:   option.Ranges(`leader-losses=0|2 etcd-restarts=0|2 election-timeout=500ms|3s faults-for=5s|15s`),
	Clients: func(_ *testbed.Params, t *topology.Topology) []plans.Program { return plans.LockClients(t, 3) },
	About:   testbed.Reaches{"etcd: lease expires": 90},
	Claims: []*testbed.Property{
		etcdapi.FencedWrites, etcdapi.UnfencedWrites, etcdapi.LocksHandedOn, etcdapi.LeasesKept, etcdapi.LeasesExpire, etcdapi.Answers,
		reads.Linearizable,
	},
	Known: known.When().Violates(etcdapi.UnfencedWrites).
		Because("a lease protects its key and not what its holder writes: a write that was sent in time takes effect behind it"),
})
