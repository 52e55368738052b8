package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var TwoStepWrites = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "two-step-writes",
	Summary: "clients of etcd's own API read and watch while the events of a write are sent and its revision is not visible yet",
	Doc: `etcd notifies the watches of a write and then raises its current revision. Serializable reads, and the headers of control
responses, take no lock that covers both: a client may be sent an event and then read the state before it from the same server. A
linearizable read, a watch that begins, and progress come after the second step. In other scenarios a write is one step.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("visible-revision=after-events", "progress-requests=periodic"),
		Workload: workload.Options{
			Writers: 1, Writes: 3, Streams: 1, Read: "consistent", Keys: 2, Items: 2, Drawn: workload.DrawnOptions{OfEtcd: 2, Requests: 6},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		return workload.EtcdWatchPlan{Creates: []*wire.WatchCreateRequest{watchFrom(0)}, Later: []sim.Payload{watchFrom(0)}}
	},
	Claims: []*testbed.Property{etcdapi.Answers, etcdapi.WatchAnswers, reads.Linearizable, reads.Exact, watches.Ordered, watches.Unique},
})
