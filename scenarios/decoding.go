package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var ConcurrentDecoding = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "concurrent-decoding",
	Summary: "ten events of a watch are decoded at the same time, in any order, and some objects cannot be decoded (KEP-6178)",
	Doc: `Kubernetes 1.37 decodes up to ten events of a watch of etcd at once. Each has a slot, and the slots are emptied in the order in which
the events came; progress has one, too, since it speaks of all events before it. An object that cannot be decoded is an error in its place: the
watch ends there, and the reflector watches again from the event before, or lists if that was among the initial events. --set
watch-decode=serial is how it was.`,
	Params: testbed.With(`etcd=3.7.3 cache=v0.37.2 caches=1 watch-decode=concurrent decode-failures=2 reflector-list=watch-list
		writers=2 writes=5 deletes=true noise=1 noise-writes=2 readers=2 reads=3 read=consistent watchers=1 keys=3
		items=2 await-ready=true breaks=1 etcd-restarts=1 to-rest=true steps=40000`),
	Draws: option.Ranges(`watch-decode=serial|concurrent decode-time=1s decode-failures=0|1|3 reflector-list=list|watch-list client-buf=1|2|100
		writes=3|8 items=0|3|12 breaks=0|2`),
	About:  testbed.Reaches{"etcd3: an object cannot be decoded": 60},
	Active: testbed.Active{"undecodable=w1.2": "client-kv=true"},
	Claims: []*testbed.Property{
		caches.MatchEtcd, reads.Linearizable, reads.LinearizableData, watches.Ordered, watches.Unique, watches.Reliable,
		watches.Bookmarkable, caches.NothingLeft, caches.ClientNothingLeft, caches.ClientBounded, etcdapi.NothingLeft, caches.CatchUp,
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
	Params: testbed.With(`etcd=3.7.3 cache=v0.37.2 caches=1 compactors=true reflector-list=watch-list watch-decode=concurrent
		decode-time=4s send-window=1 noise=1 noise-writes=300 noise-for=50m read=consistent keys=3 items=300
		mode=timed network=1ms scheduling=500us horizon=40m steps=1000000`),
	About:  testbed.Reaches{"etcd3: ten events are decoded, and the next one waits": 80},
	Claims: []*testbed.Property{caches.Initialises, caches.MatchEtcd},
})
