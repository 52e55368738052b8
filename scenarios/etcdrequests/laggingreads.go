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

var LaggingReads = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-reads",
	Summary: "clients of etcd's own API read from a member that has applied less than another one, whose watches may have shown more",
	Doc: `Both members apply the entries of the log as they come. The one that takes reads may be the later one of the two: a
linearizable read asks what is committed, and waits until that is applied. A client that was sent an event by the other member finds
it there.`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic"),
		Topology: topology.Options{Lagging: true},
		Workload: workload.Options{
			Writers: 1, Writes: 3, Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 6},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
	Known:  known.RangesLeftOut(etcdapi.Answers),
})

var LaggingStreams = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "lagging-streams",
	Summary: "clients of etcd's own API draw their requests at the leader, and streams watch a member that follows: both carry out the same",
	Doc: `A member that gives no answer to a transaction need not read what its ranges ask for. It must refuse the transaction all the same if
one of them asks for a revision that is not there, as the member does that answers. Releases before 3.7 left such ranges out
(etcd-io/etcd#18667): the follower is a revision ahead then, and sends events of writes that the leader has refused.`,
	Params: testbed.Params{
		Etcd: "3.7.3", Cache: "kep-2340",
		Settings: option.Settings("progress-requests=periodic", "watch-options=with-watch"),
		Topology: topology.Options{Lagging: true},
		Workload: workload.Options{
			Streams: 2, Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 6},
		},
		Clock: testbed.Clock{Steps: 20_000, ToRest: true},
	},
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Filter, watches.KeepUp, watches.PrevKV,
		etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft,
	},
	Known: anyWatches(),
})
