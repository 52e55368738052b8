package scenarios

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var StaleList = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stale-list",
	Summary: "RV=\"0\" lists of clients that only read: sequential, and not linearizable",
	Doc: `What a cache answers to resourceVersion "0" is some earlier state, and never an older one than before: reads of
clients that only read, from one cache, are sequential. They are not linearizable: here they are held to that as if they
had been consistent reads. Clients that also write are in stale-own-write.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Readers: 2, Reads: 3, Read: "any", AsConsistent: true, AwaitReady: true, Keys: 2,
			Items: 1,
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Sequential, reads.Monotonic, reads.Linearizable},
	Known:  known.AnyVersion(reads.Linearizable),
})

var StaleOwnWrite = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stale-own-write",
	Summary: "a client writes and then lists with RV=\"0\": not even sequential",
	Doc: `A client that writes to etcd and then reads a cache at resourceVersion "0" may not find its own write. There is no
total order that respects its program order.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{OwnReaders: 2, Rounds: 2, Read: "any", AwaitReady: true, Keys: 2, Items: 1},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Sequential, reads.ReadYourWrites, reads.Monotonic, caches.ServedAsPromised},
	Known:  known.AnyVersion(reads.Sequential, reads.ReadYourWrites),
})

var TimeTravel = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "time-travel",
	Summary: "a client moves between two caches with RV=\"0\": it reads an older state than before (kubernetes #59848)",
	Doc: `Each cache follows etcd at its own pace. A client that lists from one and then from the other, because
it reconnects to another API server, may go back in time (kubernetes/kubernetes#59848).`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{Writers: 1, Writes: 3, Readers: 1, Reads: 4, Read: "any", Move: true, AwaitReady: true, Keys: 2, Items: 1},
		Clock:    testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Monotonic, reads.Sequential, caches.ServedAsPromised},
	Known:  known.AnyVersion(reads.Monotonic, reads.Sequential),
})
