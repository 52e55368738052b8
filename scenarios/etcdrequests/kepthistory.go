package etcdrequests

import (
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var KeptHistory = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "kept-history",
	Summary: "a watch from revision -1 beside one from revision 2, in a turn of syncWatchers after one that has read all history, timed",
	Doc: `Releases 3.6.0 to 3.6.8 keep the events of a turn of syncWatchers for the next one, which reads what is missing before and behind
them. A watch from -1 is accepted up to 3.6.5, and before -1 nothing is ever missing: its turn has what was kept. Here a watch from
revision 2 was synced before, so that all history was kept, and the watches of the turn are sent everything. Releases of 3.5 that
accept the watch read nothing in such a turn, and the watches lose their events (etcd-io/etcd#20693).`,
	Params: testbed.Params{
		Etcd: "3.6.5", Cache: "kep-2340",
		Workload: workload.Options{Writers: 1, Writes: 6, Streams: 1, Read: "consistent", Keys: 2, Items: 2, Think: time.Second},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 10 * time.Second, Steps: 100_000,
		},
	},
	Stream: func(*testbed.Params, int) workload.EtcdWatchPlan {
		// syncWatchersLoop has been round twice before the later watches come.
		return workload.EtcdWatchPlan{
			Creates: []*wire.WatchCreateRequest{watchFrom(2)}, After: 250 * time.Millisecond, Later: []sim.Payload{watchFrom(-1), watchFrom(2)},
		}
	},
	Claims: []*testbed.Property{watches.Reliable, etcdapi.WatchAnswers},
	Known: known.When(known.AcceptsNegativeStart, testbed.Unless(known.KeepsHistory)).Violates(watches.Reliable).
		Because("a watch from revision -1 makes every watch of its round synced without events (etcd-io/etcd#20693)"),
})

// watchFrom is a watch of all objects.
func watchFrom(revision int64) *wire.WatchCreateRequest {
	return &wire.WatchCreateRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0)), StartRevision: revision}
}
