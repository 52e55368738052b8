package testbed

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// configureStreams makes the clients that speak etcd's watch protocol themselves.
func (s *System) configureStreams(plan func(*Params, int) workload.EtcdWatchPlan) {
	for i := range s.params.Streams {
		to := plan(&s.params, i)
		to.To = s.topology.Etcd
		s.streamPlans = append(s.streamPlans, to)
		s.streams = append(s.streams, new(workload.EtcdWatch))
		s.number()
	}
}

func (s *System) buildStreams(w *sim.World) {
	for i, r := range s.streams {
		r.Reset(topology.Numbered("stream", i, len(s.streams)), s.streamPlans[i])
		w.Add(r.Name(), r)
	}
}

// Streams are the clients that speak etcd's watch protocol themselves.
func (s *System) Streams() []*workload.EtcdWatch { return s.streams }

// everyWatch is what a client does with etcd's watch API if the scenario does
// not say: the options take turns, so that two streams have all of them.
func everyWatch(p *Params, i int) workload.EtcdWatchPlan {
	// The id in taken is in use: etcd refuses it. Revision 2 is the first that a run can have besides the empty store's.
	past := &wire.WatchCreateRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0)), StartRevision: 2, ProgressNotify: true}
	present := &wire.WatchCreateRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0)), Fragment: true}
	filtered := &wire.WatchCreateRequest{Key: topology.Prefix(0) + topology.ObjectName(0), Filters: wire.NoDelete, StartRevision: 2}
	future := &wire.WatchCreateRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0)), StartRevision: firstRevision(p) + 3, Filters: wire.NoPut}
	taken := &wire.WatchCreateRequest{Key: topology.Prefix(0), WatchID: 1}
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

// firstRevision is the one of the initial contents.
func firstRevision(p *Params) int64 { return 1 + int64(p.Items+p.History) }
