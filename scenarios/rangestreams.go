package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var RangeStreamStart = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "streamed-start",
	Summary: "the caches begin by a stream of initial events that etcd reads in chunks, while objects change, streams break and etcd compacts (KEP-5966)",
	Doc: `Kubernetes 1.37 on etcd 3.7: the storage reads the present state as one RangeStream, and hands each object on as it comes. The first
chunk has one key here, so that every later one is read after others may have written. All are of the revision of the first, which is
known with the last one only. A stream that fails is not resumed: the reflector, which may have had a part of the state, begins again. An
etcd that does not know the method says so in the place of the first chunk (--set range-stream=unimplemented), and is asked for pages.`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "v0.37.2",
		Settings: option.Settings("reflector-list=watch-list", "watch-decode=serial", "stream-chunk=1", "client-buf=2", "send-window=2", "page=2"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Readers: 1, Reads: 3, Read: "consistent", Keys: 4, Items: 4,
			Compactions: 1,
		},
		Faults: faults.Options{Breaks: 2, Restarts: 2, EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 40_000},
	},
	Draws: []option.Range{
		option.From("range-stream", "unimplemented", "served"), option.From("stream-chunk", "1", "2", "3"),
		option.From("client-buf", "1", "2", "4"), option.From("send-window", "1", "2", "4"), option.From("page", "1", "2", "3"),
		option.From("items", "0", "2", "6"), option.From("writes", "2", "6"), option.From("compactions", "0", "2"),
		option.From("breaks", "0", "2"), option.From("restarts", "0", "2"), option.From("etcd-restarts", "0", "1"),
	},
	Claims: []*testbed.Property{caches.MatchEtcd, reads.Linearizable, reads.LinearizableData, caches.JustifiedRefusals, caches.NothingLeft},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})

var RangeStreamLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "streamed-lists",
	Summary: "LISTs that etcd answers come as a stream that it reads in chunks, while objects change, etcd compacts and connections break (KEP-5966)",
	Doc: `A LIST without a limit that goes to etcd is one RangeStream of the API server, and one answer to its client: the chunks together are one
state. A LIST with a limit is a Range. clientv3 repeats a Range whose connection broke, and no stream, so that such a LIST fails: clients
see 503 where they did not before.`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "direct",
		Settings: option.Settings("stream-chunk=1"),
		Topology: topology.Options{Servers: 1, ClientKV: true},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Readers: 2, Reads: 3, Read: "every", Keys: 4, Items: 4,
			Compactions: 1,
		},
		Faults: faults.Options{CallBreaks: 1, Restarts: 1, EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 40_000},
	},
	Draws: []option.Range{
		option.From("range-stream", "unimplemented", "served"), option.From("stream-chunk", "1", "2", "3"),
		option.From("send-window", "1", "2", "4"), option.From("items", "0", "2", "6"), option.From("writes", "2", "6"),
		option.From("compactions", "0", "2"), option.From("breaks", "0", "2"), option.From("etcd-restarts", "0", "1"),
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, reads.Exact, reads.NotOlderThan, caches.MatchEtcd, caches.NothingLeft},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
