package informers

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Resume = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-resume",
	Summary: "watches of informers break, and are resumed at the last resourceVersion",
	Doc: `An informer that is cut off watches again behind the last event or bookmark that it took. It must miss nothing and see
nothing twice, whichever way it listed.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{InformerBreaks: 4},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: Claims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.StaleRelist()),
})

var Expired = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-expired",
	Summary: "the history that an informer needs is gone (410), or the API server is behind it (504): it lists again, then with RV=\"\"",
	Doc: `Caches remember two events, and etcd compacts. A watch that is resumed too late ends with 410. The list that follows names
the last resourceVersion: a cache that is as far serves it; one that is not answers 504 after three seconds, ten times with a
second in between. Only then does the informer ask for the newest state. KEP-3157's appendix has RV="" follow the first 410;
client-go does not. What happens where lists come in pages is in informer-relist-loop.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("ring=2"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Keys: 2, Items: 3,
			Compactions: 2,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch}},
		Faults:    faults.Options{InformerBreaks: 4},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: Claims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.StaleRelist()),
})

var RelistLoop = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-relist-loop",
	Summary: "an informer that once listed in pages never recovers from a 410: it lists the same old state for ever (kubernetes #133810)",
	Doc: `A cold cache has etcd answer the first list, in pages. From then on client-go lists in pages whatever it asks for
(paginatedResult), and a resourceVersion with a limit and without a match means exactly that one. So after a 410 the list
that was to be "at least as fresh" is the very state that the informer has, and the watch from there ends with 410 again,
until etcd compacts that revision five minutes later (kubernetes/kubernetes#133810, open). It holds with
informer-list=watch-list, where the first list fits a page, where a list says resourceVersionMatch=NotOlderThan
(informer-not-older=true), and in the flow of KEP-3157's appendix, in which RV="" follows the 410 at once
(informer-newest=true).`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 1, Writes: 20, Read: "consistent", Keys: 2, Items: 3, Think: time.Second},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{List: informer.ByListWatch, Page: 1}},
		Faults:    faults.Options{Restarts: 2, For: 8 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 4 * time.Minute,
			Steps: 200_000,
		},
	},
	Claims: Claims,
	Known: known.When().Violates(informers.CatchUp).
		Because("an informer that once listed in pages asks for exactly the state that it has (kubernetes/kubernetes#133810)"),
})
