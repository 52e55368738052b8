package plans

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// The features of a client that speaks etcd's watch protocol.
const (
	watchesRanges feature = iota
	watchesFromRevisions
	watchesBelowZero
	wantsPrevKV
	filters
	wantsNotifications
	wantsFragments
	namesWatches
	requestsProgress
	watchesLater
	cancels
	leaves
)

var streamFeatures = []string{
	watchesRanges: "ranges of keys", watchesFromRevisions: "start revisions", watchesBelowZero: "start revisions below 0",
	wantsPrevKV: "prevKV", filters: "filters", wantsNotifications: "progress notifications", wantsFragments: "fragments",
	namesWatches: "watch ids of its own", requestsProgress: "progress requests", watchesLater: "watches created later",
	cancels: "cancels", leaves: "closed streams",
}

// lastByte is a prefix behind which no key comes: the range of its keys has no end.
const lastByte = "\xff"

// maxCreates is how many watches a stream begins with, and maxLater how many requests
// follow.
const (
	maxCreates = 3
	maxLater   = 4
)

// AnyWatches is the i-th stream of watches with any options. They begin at any revision up to
// two behind the last one.
func AnyWatches(o *workload.Options, i int) workload.EtcdWatchPlan {
	last := o.FirstRevision() + o.TotalWrites()
	return workload.EtcdWatchPlan{Draw: func(run *sim.Env, plan *workload.EtcdWatchPlan) {
		env := sourceOf(&o.Drawn, run, ofStreams, i)
		s := drawSwarm(env, streamFeatures)
		if s.has(namesWatches) {
			// An event of a canceled watch that still lies in the watch channel is
			// sent to the next watch of its id. clientv3 never gives ids.
			s.leave(cancels)
		}
		plan.Creates, plan.Later = nil, nil
		for range 1 + env.Choose(maxCreates, "number of watches") {
			plan.Creates = append(plan.Creates, anyWatch(s, last))
		}
		plan.Requests = s.draw(requestsProgress, 3, "number of progress requests")
		for range env.Choose(maxLater+1, "number of later requests") {
			switch {
			case s.flip(watchesLater, "create a watch later"):
				plan.Later = append(plan.Later, anyWatch(s, last))
			case s.flip(cancels, "cancel a watch"):
				// One more than there are: etcd does not answer.
				plan.Later = append(plan.Later, &wire.WatchCancelRequest{WatchID: int64(env.Choose(len(plan.Creates)+1, "watch"))})
			default:
				plan.Later = append(plan.Later, progressRequest)
			}
		}
		plan.Leaves = s.flip(leaves, "close the stream")
	}}
}

func anyWatch(s *swarm, last int64) *wire.WatchCreateRequest {
	prefix := topology.Prefix(0)
	object := prefix + topology.ObjectName(0)
	c := &wire.WatchCreateRequest{
		Key: prefix, RangeEnd: model.PrefixEnd(prefix),
		PrevKv:         s.flip(wantsPrevKV, "prevKV"),
		Filters:        wire.FilterType(s.draw(filters, 4, "filters")),
		ProgressNotify: s.flip(wantsNotifications, "progress notifications"),
		Fragment:       s.flip(wantsFragments, "fragments"),
	}
	switch s.draw(watchesRanges, 5, "range of keys") {
	case 1:
		c.Key, c.RangeEnd = object, ""
	case 2:
		c.Key, c.RangeEnd = object, "\x00"
	case 3:
		c.Key, c.RangeEnd = everyKey, "\x00"
	case 4:
		c.Key, c.RangeEnd = lastByte, model.PrefixEnd(lastByte)
	}
	if s.flip(watchesFromRevisions, "start revision") {
		c.StartRevision = 1 + int64(s.env.Choose(int(last)+2, "revision"))
	}
	if s.draw(watchesBelowZero, 4, "start revision below 0") == 1 {
		c.StartRevision = -1
	}
	c.WatchID = int64(s.draw(namesWatches, 3, "watch id"))
	return c
}
