package stalled

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Neighbours = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "stalled-neighbours",
	Summary: "what a watch that does not keep up costs: the others, which read at once, the cache, and itself (KEP-6268)",
	Doc: `Two writers with about fifty writes a second each, and watches whose channels hold ten events: some clients read at once, some take an event in
30 ms and fall behind, some pause once for up to two seconds, and some stop. As shipped the dispatcher waits for a full channel, up to 100 ms, of which it
earns 50 a second, and every other watch of the resource waits with it (delivered-undelayed). With the other values of
slow-watchers it never waits. The history holds two hundred events: a client that is slower than the writers comes to the
end of it, and is told so (410).`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("ring=200", "ring-max=200", "watch-buf=10"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 500, Think: 40 * time.Millisecond, Read: "consistent", Watchers: 8, AwaitReady: true, Keys: 30, Items: 30,
			Reading: workload.ReadingOptions{Habit: "every", After: 20, Pace: 30 * time.Millisecond, Hiccup: 2 * time.Second, Retries: 1000},
		},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 100 * time.Microsecond, Horizon: 20 * time.Second, Steps: 4_000_000,
		},
	},
	Claims: []*testbed.Property{
		caches.DeliveredUndelayed, watches.Ordered, watches.Unique, watches.Reliable, watches.EventTypes, caches.JustifiedRefusals,
	},
	Known: slices.Concat(known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable),
		known.When(known.DispatcherWaits).Violates(caches.DeliveredUndelayed).
			Because("the dispatcher waits for a watch whose channel is full, and all others wait with it (KEP-6268)"),
		known.When(known.ServedInPasses).RarelyViolates(caches.DeliveredUndelayed).
			Because("a pass just after a miss finds the channel still full and serves nothing, and the next one comes 100 ms later (KEP-6268, revised)")),
})
