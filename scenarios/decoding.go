package scenarios

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var ConcurrentDecoding = testbed.RegisterScenario(&testbed.Scenario{
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

var NeverInitialises = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "never-initialises",
	Summary: "a cache begins by a watch with initial events whose objects take seconds to decode, while etcd is compacted every five minutes: does it get through?",
	Doc: `A conversion webhook needs 2.5 to 4 seconds for each of 300 objects, and other resources are written every ten seconds. The watch begins
behind the state that was read, once all of it is queued, and etcd keeps that revision for five to ten minutes. If decodes take longer, the
watch ends with a compaction, the reflector asks for the newest state, and all begins anew (kubernetes/kubernetes#139766 is about
the same retry of informers). Ten decodes at once get through with ten times as many objects as one at a time
(--set watch-decode=serial): what counts is the objects that do not fit into the buffers. Whether etcd is read as a stream or in pages makes no difference: a
stream is compacted in its middle, pages of 10,000 objects behind their end.`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "v0.37.2",
		Settings: option.Settings("reflector-list=watch-list", "watch-decode=concurrent", "decode-time=4s", "send-window=1"),
		Topology: topology.Options{Servers: 1, Compactors: true},
		Workload: workload.Options{Noise: 1, NoiseWrites: 300, NoiseFor: 50 * time.Minute, Read: "consistent", Keys: 3, Items: 300},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 40 * time.Minute,
			Steps: 1_000_000,
		},
	},
	Claims: []*testbed.Property{caches.Initialises, caches.MatchEtcd},
})
