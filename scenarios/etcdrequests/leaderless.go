package etcdrequests

import (
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var AnyWithoutLeader = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "any-without-leader",
	Summary: "clients draw their requests to etcd's own API, which has no leader for seconds: it answers no write and no linearizable read",
	Doc: `A linearizable read asks the leader what is committed, a transaction that only reads as well, unless each of its ranges is
serializable. Without a leader it waits, and fails when there is one again. A serializable range is served from what the member has.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Workload: workload.Options{
			Read: "consistent", Keys: 3, Items: 2, History: 1, Think: 5 * time.Second, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 8},
		},
		Faults: faults.Options{LeaderLosses: 1, For: 15 * time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 40 * time.Second, Steps: 200_000,
		},
	},
	Claims: []*testbed.Property{
		etcdapi.NeedsLeader, etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.AtMostOnce,
	},
})

var LeaderlessAtRest = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "leaderless-at-rest",
	Summary: "streams of etcd's own watch API that require a leader, while etcd loses its leader, until nothing more can happen: none is left half open",
	Doc: `etcd refuses a stream that requires a leader while it has none, and ends those that are open. Either way it closes its end: the
clients here do not close theirs, as clientv3 does.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Streams: 3, Read: "consistent", Keys: 2, Items: 2,
		},
		Faults: faults.Options{LeaderLosses: 2},
		Clock:  testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Stream: func(_ *testbed.Params, i int) workload.EtcdWatchPlan {
		prefix := topology.Prefix(0)
		create := &wire.WatchCreateRequest{Key: prefix, RangeEnd: model.PrefixEnd(prefix), RequireLeader: i != 1}
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{create}, Requests: 2}
	},
	Claims: []*testbed.Property{
		etcdapi.NothingLeft, etcdapi.WatchAnswers, watches.KeepUp, watches.Ordered, watches.Unique, watches.Reliable,
	},
})
