package decoding

import (
	"time"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

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
