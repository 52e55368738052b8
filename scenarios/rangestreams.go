package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var RangeStreamStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "streamed-start",
	Summary: "the caches begin by a stream of initial events that etcd reads in chunks, while objects change, streams break and etcd compacts (KEP-5966)",
	Doc: `Kubernetes 1.37 on etcd 3.7: the storage reads the present state as one RangeStream, and hands each object on as it comes. The first
chunk has one key here, so that every later one is read after others may have written. All are of the revision of the first, which is
known with the last one only. A stream that fails is not resumed: the reflector, which may have had a part of the state, begins again. An
etcd that does not know the method says so in the place of the first chunk (--set range-stream=unimplemented), and is asked for pages.`,
	Params: testbed.With(`etcd=3.7.3 cache=v0.37.2 caches=2 reflector-list=watch-list watch-decode=serial stream-chunk=1 client-buf=2
		send-window=2 page=2
		writers=2 writes=4 deletes=true readers=1 reads=3 read=consistent compactions=1 keys=4 items=4
		breaks=2 restarts=2 etcd-restarts=1 to-rest=true steps=40000`),
	Draws: option.Ranges(`range-stream=unimplemented|served stream-chunk=1|2|3 client-buf=1|2|4 send-window=1|2|4 page=1|2|3
		items=0|2|6 writes=2|6 compactions=0|2 breaks=0|2 restarts=0|2 etcd-restarts=0|1`),
	About: testbed.Reaches{
		"etcd3: the initial events of a watch come as a stream":             75,
		"cache: reflector lists because a watch with initial events failed": 70,
	},
	Active: testbed.Active{"range-stream=unimplemented": "", "etcd-range-stream=disabled": ""},
	Claims: []*testbed.Property{caches.MatchEtcd, reads.Linearizable, reads.LinearizableData, caches.JustifiedRefusals, caches.NothingLeft, caches.ClientNothingLeft, caches.ClientBounded, etcdapi.NothingLeft, caches.CatchUp},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var AnyRangeStreams = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-range-streams",
	Summary: "clients of etcd's own API draw RangeStreams with limits, revisions, keys and counts alone, while others write and compact (KEP-5966)",
	Doc: `The requests of any-etcd-requests, and RangeStreams. The chunks of one are together the answer to the same Range: the keys that its
limit leaves, More if there are others, and the count of all, at the revision of the first chunk. The first has one key here. A stream whose
revision is compacted before its last chunk fails. An order other than that of the keys and bounds of revisions are refused.`,
	Params: testbed.With(`etcd=3.7.3 cache=kep-2340 compact-recreated=kept read=consistent keys=4 items=5 history=1 drawn-clients=4 drawn-requests=14
		drawn-range-streams=true stream-chunk=1 etcd-restarts=1 to-rest=true steps=20000`),
	Draws: option.Ranges(`keys=1|2|6 items=30 drawn-clients=2|6 drawn-requests=6|20 stream-chunk=10 send-window=1|2 drawn-leases=true
		lagging=true etcd-restarts=0 max-request-bytes=70`),
	About:  testbed.Reaches{"etcd: a later chunk of a RangeStream is read": 20},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData},
	Known:  known.RangesLeftOut(etcdapi.Answers),
})

var RangeStreamAgain = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "streamed-again",
	Summary: "an etcd that does not know RangeStream is asked for pages and ranges, and for a stream again after ten minutes (KEP-5966)",
	Doc: `With a clock. The cache begins with the initial events of a watch, which etcd refuses as a stream and sends in pages. Each LIST is put
to etcd, and goes there as one Range as long as the API server takes etcd for one that does not know streams. Two clients list every two minutes or so, for 45
minutes, while others write: after ten minutes a LIST is tried as a stream again, and answered by a Range when that is refused.`,
	Params: testbed.With(`etcd=3.7.3 cache=direct caches=1 client-kv=true range-stream=unimplemented reflector-list=watch-list page=2
		writers=1 writes=4 deletes=true read=consistent keys=4 items=4 await-ready=true pollers=2 think=4m patience=1m
		mode=timed network=1ms scheduling=500us horizon=45m steps=200000`),
	About:  testbed.Reaches{"etcd3: RangeStream is tried again after ten minutes": 100, "etcd3: etcd is found not to know RangeStream": 100},
	Claims: []*testbed.Property{caches.RangeStreams, caches.Initialises},
})

var RangeStreamLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "streamed-lists",
	Summary: "LISTs that etcd answers come as a stream that it reads in chunks, while objects change, etcd compacts and connections break (KEP-5966)",
	Doc: `A LIST without a limit that goes to etcd is one RangeStream of the API server, and one answer to its client: the chunks together are one
state. A LIST with a limit and a selector is a Range. clientv3 repeats a Range whose connection broke, and no stream, so that such a LIST fails:
clients see an error where they did not before.`,
	Params: testbed.With(`etcd=3.7.3 cache=direct caches=1 client-kv=true stream-chunk=1
		writers=2 writes=4 deletes=true readers=2 reads=3 read=every compactions=1 keys=4 items=4
		restarts=1 etcd-restarts=1 call-breaks=1 to-rest=true steps=40000`),
	Draws: option.Ranges(`range-stream=unimplemented|served stream-chunk=1|2|3 send-window=1|2|4 items=0|2|6|100 writes=2|6
		compactions=0|2 breaks=0|2 etcd-restarts=0|1`),
	About: testbed.Reaches{
		"etcd3: a list comes as a stream": 80, "etcd: a later chunk of a RangeStream is read": 75,
	},
	Active: testbed.Active{"page-end=fails": ""},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Exact, reads.NotOlderThan, caches.PageSizes, caches.MatchEtcd, caches.NothingLeft, caches.ClientNothingLeft, caches.ClientBounded, etcdapi.NothingLeft, caches.CatchUp},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
