package scenarios

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var StaleList = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stale-list",
	Summary: "RV=\"0\" lists of clients that only read: sequential, and not linearizable",
	Doc: `What a cache answers to resourceVersion "0" is some earlier state, and never an older one than before: reads of
clients that only read, from one cache, are sequential. They are not linearizable: here they are held to that as if they
had been consistent reads. Clients that also write are in stale-own-write.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=2 writes=3 readers=2 reads=3 read=any as-consistent=true keys=2 items=1 await-ready=true steps=20000`),
	About:  testbed.Reaches{"cache: read served without waiting": 80},
	Active: testbed.Active{"as-consistent=false": ""},
	Claims: []*testbed.Property{reads.Sequential, reads.Monotonic, reads.Linearizable},
	Known:  known.AnyVersion(reads.Linearizable),
})

var StaleOwnWrite = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stale-own-write",
	Summary: "a client writes and then lists with RV=\"0\": not even sequential",
	Doc: `A client that writes to etcd and then reads a cache at resourceVersion "0" may not find its own write. There is no
total order that respects its program order.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1 read=any own-readers=2 rounds=2 keys=2 items=1 await-ready=true
		steps=20000`),
	About:  testbed.Reaches{"cache: read served without waiting": 80},
	Claims: []*testbed.Property{reads.Sequential, reads.ReadYourWrites, reads.Monotonic, caches.ServedAsPromised},
	Known:  known.AnyVersion(reads.Sequential, reads.ReadYourWrites),
})

var TimeTravel = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "time-travel",
	Summary: "a client moves between two caches with RV=\"0\": it reads an older state than before (kubernetes #59848)",
	Doc: `Each cache follows etcd at its own pace. A client that lists from one and then from the other, because
it reconnects to another API server, may go back in time (kubernetes/kubernetes#59848).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=2
		writers=1 writes=3 readers=1 reads=4 read=any move=true keys=2 items=1 await-ready=true steps=20000`),
	About:  testbed.Reaches{"cache: read served without waiting": 80},
	Claims: []*testbed.Property{reads.Monotonic, reads.Sequential, caches.ServedAsPromised},
	Known:  known.AnyVersion(reads.Monotonic, reads.Sequential),
})
