package plans

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// EveryWatch is what the i-th client does that speaks etcd's watch protocol, if its
// scenario does not say: the options of a watch take turns, so that two streams
// have all of them. First is the revision of the contents before the run.
func EveryWatch(first int64, i int) workload.EtcdWatchPlan {
	prefix := topology.Prefix(0)
	// The id in taken is in use: etcd refuses it. Revision 2 is the first that a run can have besides the empty store's.
	past := &wire.WatchCreateRequest{Key: prefix, RangeEnd: model.PrefixEnd(prefix), StartRevision: 2, ProgressNotify: true}
	present := &wire.WatchCreateRequest{Key: prefix, RangeEnd: model.PrefixEnd(prefix), Fragment: true}
	filtered := &wire.WatchCreateRequest{Key: prefix + topology.ObjectName(0), Filters: wire.NoDelete, StartRevision: 2}
	future := &wire.WatchCreateRequest{Key: prefix, RangeEnd: model.PrefixEnd(prefix), StartRevision: first + 3, Filters: wire.NoPut}
	taken := &wire.WatchCreateRequest{Key: prefix, WatchID: 1}
	if i%2 == 0 {
		return workload.EtcdWatchPlan{
			Creates:  []*wire.WatchCreateRequest{past, filtered},
			Requests: 2, Later: []sim.Payload{taken, &wire.WatchCancelRequest{WatchID: 1}, progressRequest},
		}
	}
	return workload.EtcdWatchPlan{
		Creates:  []*wire.WatchCreateRequest{present, future, past},
		Requests: 1, Later: []sim.Payload{&wire.WatchCancelRequest{WatchID: 2}, progressRequest},
	}
}

var progressRequest = &wire.WatchProgressRequest{}
