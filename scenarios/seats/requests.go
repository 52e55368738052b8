package seats

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var AnyRequests = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-any-requests",
	Summary: "clients draw their LISTs, GETs and watches behind API Priority and Fairness: each takes as many seats as its kind",
	Doc: `A request takes up to three of fourteen seats, one for each object. A LIST with a limit that etcd answers takes two for each
object of its page; one of which the cache answers takes them for all objects, whatever its limit. A watch that asks for initial events
takes as many, and so does one without a resourceVersion or with 0 (since Kubernetes 1.35); any other watch takes one, as does one of a
single object. What a LIST is to be answered by follows from its resourceVersion, its match, its limit and its continue
token, which the clients draw anew in each run, also such as no API takes.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340-fallback",
		Settings: option.Settings("seats=14", "queues=3", "hand-size=2", "queue-length=2", "objects-per-seat=1"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", AwaitReady: true, Keys: 4, Items: 3,
			ListWatch: workload.ListWatchOptions{Clients: 1, Rounds: 2, RV: "every"},
			Drawn:     workload.DrawnOptions{OfCache: 4, Watchers: 2, Requests: 5},
		},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{List: informer.ByWatchList}},
		Faults:    faults.Options{Breaks: 1, Restarts: 1, InformerRestarts: 1},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{caches.SeatsKept, caches.NothingLeft, caches.TimersOwned},
})
