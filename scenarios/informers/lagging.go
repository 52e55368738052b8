package informers

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/caches"
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

var NeverSyncs = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-never-syncs",
	Summary: "informers begin while the cache is seconds behind, and objects are written on: a stream of the newest state never comes (kubernetes #139766)",
	Doc: `A conversion webhook needs 5 to 8 seconds for each object, ten at once, and one object is written each second: the cache follows,
and is five seconds behind and more. An informer begins by a stream of the newest state. The API server asks etcd which one that is,
waits for it for three seconds, and refuses. client-go asks for the newest state again at once, which is a newer one. A LIST at
resourceVersion "0", with which informers began before (--set informer-list=list-watch), is answered at once, and so is a stream at
"0" (informer-rv=0). A LIST in place of a stream that was refused (informer-too-large=list) gets through, and so does a stream that
does not wait for the cache to begin, as KEP-3157 has it (--cache kep-3157). A LIST of the newest state needs etcd's help: see
on-timeout.

What waits makes it worse. While a read waits the cache asks etcd for progress every 100 ms, and each notification takes one of the
ten slots of the decoder behind the object that is being converted, so that hardly two objects are converted at once
(findings/pages/progress-takes-decode-slots.md).`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "v0.37.2",
		Settings: option.Settings("watch-decode=concurrent", "decode-time=8s"),
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 300, Read: "consistent", AwaitReady: true, Keys: 2, Items: 3, Think: 2 * time.Second,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList}},
		Faults:    faults.Options{InformerStorms: 1, For: time.Minute},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 3 * time.Minute,
			Steps: 1_000_000,
		},
	},
	Claims: []*testbed.Property{caches.InformersSync, informers.MatchEtcd},
	Known: slices.Concat(
		known.When(known.InformersInsist, known.WaitsForInitialEvents, known.TrustsEtcd).Violates(caches.InformersSync).
			Because("each WatchList wants the newest state within three seconds, and the cache is further behind (kubernetes/kubernetes#139766)"),
		known.When(known.InformersInsist, known.EndsByTimer).RarelyViolates(caches.InformersSync).
			Because("where many objects are written at once the cache is minutes behind the state for which the stream waits"),
	),
})
