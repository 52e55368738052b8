package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var NestedTransactions = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "nested-transactions",
	Summary: "clients of etcd's own API draw transactions within transactions, and puts that keep the value that is there, beside streams of watches",
	Doc: `The requests of any-etcd-requests, and two more. The compares of all levels of a transaction look at the contents before
the whole of it, and what an inner one writes the operations after it see. A put may keep the value of its key, which must exist when
the transaction begins. etcd looks for keys that are written twice at all levels together, and counts operations along each path. All
changes have one revision.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "watch-options=with-watch"),
		Workload: workload.Options{
			Streams: 2, Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 6, Nested: true},
		},
		Clock: testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("keys", "1", "2", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "1", "2", "4"),
		option.From("drawn-requests", "3", "9"), option.From("streams", "1", "3"), option.From("history", "0", "3"), option.From("lagging", "true"),
	},
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
	Claims: []*testbed.Property{
		etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData,
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Filter, watches.KeepUp, watches.PrevKV,
	},
	Known: anyWatches(),
})

var RequestSizes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "request-sizes",
	Summary: "clients of etcd's own API draw writes of which many are about as large as the largest one that etcd takes",
	Doc: `etcd refuses a write that is larger than max-request-bytes as it is proposed to raft. With 51 bytes a put of a short value fits
and that of a longer one does not, a delete of one key fits and that of all objects depends on what it asks to be told, and few
transactions fit. What only reads is no proposal, and is never too large.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("max-request-bytes=51"),
		Workload: workload.Options{
			Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 8, LargeBytes: 8},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("max-request-bytes", "36", "60", "75", "90", "105", "120", "140"), option.From("drawn-bytes", "4", "16", "40"),
		option.From("keys", "1", "2", "4", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "1", "2", "4"),
	},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})

var TransactionSizes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "transaction-sizes",
	Summary: "clients of etcd's own API draw transactions of which about half are larger than the largest write that etcd takes",
	Doc: `In request-sizes few transactions fit. With 130 bytes each part of one decides: a compare with a value, the end of a range, the
revision of a read, and each operation of the branch that is not taken. A transaction that only reads is no proposal, however long
it is.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("max-request-bytes=130"),
		Workload: workload.Options{
			Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 12, LargeBytes: 8},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("max-request-bytes", "100", "110", "120", "140", "150", "160", "180"), option.From("drawn-bytes", "4", "12", "16"),
		option.From("keys", "1", "2", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "2", "3", "5"),
	},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})

var RewrittenKeys = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rewritten-keys",
	Summary: "a client deletes all keys and puts them again in one transaction, and etcd compacts at its newest revision",
	Doc: `A transaction may delete a key and put it again if its deletion ends at "\x00": etcd does not see then that the two meet. The key has
a deletion and a value at one revision. A compaction at that revision has to keep the value. Since 3.4.34 and 3.5.16 it keeps the deletion
alone (etcd-io/etcd#22376, open): a read that finds the value in the index and not in the backend ends the process, and the next one does
not have the key. The release here, 3.5.15, is the newest without the bug.`,
	Params: testbed.Params{
		Etcd: "3.5.15", Cache: "direct",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 4, Rewrites: true, Readers: 1, Reads: 2, Read: "consistent", Keys: 2, Items: 2,
			Compactions: 2, CompactNewest: true,
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("keys", "1", "4"), option.From("items", "0", "4"), option.From("writes", "2", "8"), option.From("reads", "1", "4"),
		option.From("compactions", "1", "4"), option.From("deletes", "true"), option.From("etcd-restarts", "1"),
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, etcdapi.Answers},
	Known: known.When(known.CompactionLosesKey).Violates(reads.Linearizable, reads.LinearizableData, etcdapi.Answers).
		Because("a compaction loses a key that its revision deletes and puts again (etcd-io/etcd#22376)"),
})
