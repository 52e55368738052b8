package watchlists

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Established = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-established",
	Summary: "clients watch from now on, without the present state, while others write: nothing is lost after the watch is established",
	Doc: `A client that asks for no initial events and names no revision does not know where its watch begins. It relies on the HTTP 200:
Cacher.Watch returns when it has read etcd's revision, if the client gives no resourceVersion, and has registered the watcher. At resourceVersion "0" the
watch begins wherever the cache is then. The cache may list again in between, etcd may be slow to say its revision, and the client may leave.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 6, Deletes: true, Read: "consistent", Present: 2, Presents: 3, AwaitReady: true, Keys: 2, Items: 2,
		},
		Faults: faults.Options{Breaks: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("present-watchers", "1", "3"), option.From("present-watches", "1", "4"), option.From("writes", "3", "10"),
		option.From("breaks", "0", "2"), option.From("keys", "1", "3"),
	},
	Claims: []*testbed.Property{
		watches.Established, watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable,
		watches.EventTypes,
	},
	Known: known.RepeatedByClient(watches.Bookmarkable),
})
