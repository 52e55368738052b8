package etcdrequests

import (
	"slices"

	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/workload"
)

var Leases = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leases",
	Summary: "clients of etcd's own API draw leases and puts on them, leases expire at any point, and streams watch what becomes of the keys",
	Doc: `The requests of any-etcd-requests, and leases: granted, revoked, kept alive and asked for their keys, puts that attach a key
to one, detach it or keep it, and compares of leases. A lease may expire at any point. Its keys are deleted by one entry of the log, at one
revision. etcd may lose its leader, or restart: then no lessor looks after expiry, and each lease has its whole time again.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "watch-options=with-watch"),
		Workload: workload.Options{
			Streams: 2, Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 18, Leases: true},
		},
		Faults: faults.Options{EtcdRestarts: 1},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Draws: []option.Range{
		option.From("keys", "1", "2", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "1", "2", "4"),
		option.From("drawn-requests", "6", "12"), option.From("streams", "1", "3"), option.From("history", "0", "3"),
		option.From("drawn-nested", "true"), option.From("lagging", "true"), option.From("etcd-restarts", "0"),
	},
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
	Claims: []*testbed.Property{
		etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData,
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Filter, watches.KeepUp, watches.PrevKV,
	},
	Known: slices.Concat(anyWatches(), afterRestarts()),
})
