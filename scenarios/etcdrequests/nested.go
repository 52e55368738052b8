package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
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
