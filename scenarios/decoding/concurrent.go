package decoding

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Concurrent = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "concurrent-decoding",
	Summary: "ten events of a watch are decoded at the same time, in any order, and some objects cannot be decoded (KEP-6178)",
	Doc: `Kubernetes 1.37 decodes up to ten events of a watch of etcd at once. Each has a slot, and the slots are emptied in the order in which
the events came; progress has one, too, since it speaks of all events before it. An object that cannot be decoded is an error in its place: the
watch ends there, and the reflector watches again from the event before, or lists if that was among the initial events. --set
watch-decode=serial is how it was.`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "v0.37.2",
		Settings: option.Settings("watch-decode=concurrent", "decode-failures=2", "reflector-list=watch-list"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 2, Writes: 5, Deletes: true, Noise: 1, NoiseWrites: 2, Readers: 2, Reads: 3, Read: "consistent",
			Watchers: 1, AwaitReady: true, Keys: 3, Items: 2,
		},
		Faults: faults.Options{Breaks: 1, EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 40_000},
	},
	Draws: []option.Range{
		option.From("watch-decode", "serial", "concurrent"), option.From("decode-failures", "0", "1", "3"),
		option.From("reflector-list", "list", "watch-list"), option.From("client-buf", "1", "2", "100"),
		option.From("writes", "3", "8"), option.From("items", "0", "3", "12"), option.From("breaks", "0", "2"),
	},
	Claims: []*testbed.Property{
		caches.MatchEtcd, reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable,
		watches.Bookmarkable, caches.NothingLeft,
	},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.ResumedWatches(watches.Ordered, watches.Unique, watches.Reliable, watches.Bookmarkable),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
