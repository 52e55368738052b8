package plans

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// The features of a client that watches a cache.
const (
	watchesScopes feature = iota
	watchesFromVersions
	matchesVersions
	wantsInitialEvents
	allowsBookmarks
	limitsTime
	watchesSelections
	watchesLabels
	watchesTerms
	watchesShards
	watchesSingles
)

var watchFeatures = []string{
	watchesScopes: "namespaces", watchesFromVersions: "resourceVersions", matchesVersions: "matches",
	wantsInitialEvents: "initial events", allowsBookmarks: "bookmarks", limitsTime: "timeouts",
	watchesSelections: "selectors", watchesLabels: "labels",
	watchesTerms: "selectors of several terms", watchesShards: "shards", watchesSingles: "single objects",
}

// DrawnWatches are watches of the i-th client, with any options.
func DrawnWatches(o *workload.Options, t *topology.Topology, i int) workload.DrawWatches {
	p := &planner{o: o, t: t}
	d := &o.Drawn
	features := without(watchFeatures,
		optional{watchesSelections, d.Selectors}, optional{watchesLabels, d.Selectors && d.Labels}, optional{watchesTerms, d.Selectors && d.Terms},
		optional{watchesShards, d.Selectors && d.Shards}, optional{watchesSingles, d.Singles})
	return func(env *sim.Env) []*wire.WatchRequest {
		s := drawSwarm(sourceOf(d, env, ofWatchers, i), features)
		var all []*wire.WatchRequest
		scopes := p.scopes(i)
		for range o.Drawn.Requests {
			req := &wire.WatchRequest{
				Prefix:            scopes[s.draw(watchesScopes, len(scopes), "prefix")],
				ResourceVersion:   p.anyVersion(s, watchesFromVersions),
				SendInitialEvents: wire.SendInitialEvents(s.draw(wantsInitialEvents, 3, "sendInitialEvents")),
				AllowBookmarks:    s.flip(allowsBookmarks, "bookmarks"),
				TimeoutSeconds:    int64(s.draw(limitsTime, 3, "timeout")),
			}
			req.Selector = p.anySelector(s, watchesSelections, watchesLabels, watchesTerms, watchesShards)
			if s.flip(watchesSingles, "single") {
				req.Single, req.Prefix = true, p.anyObject(s, i)
			}
			req.Match = anyMatch(s, req.SendInitialEvents)
			all = append(all, req)
		}
		return all
	}
}

// UnversionedWatch is the one watch of the i-th client that gives no resourceVersion and
// does not ask for initial events.
func UnversionedWatch(t *topology.Topology, i int) workload.DrawWatches {
	request := &wire.WatchRequest{Prefix: topology.Prefix(i % t.Resources), ResourceVersion: wire.Unset, AllowBookmarks: true}
	return func(*sim.Env) []*wire.WatchRequest { return []*wire.WatchRequest{request} }
}

// PresentWatches are the watches of the i-th client that begin now and without the present
// state. Which clients watch with resourceVersion "0" first alternates.
func PresentWatches(o *workload.Options, t *topology.Topology, i int) workload.DrawWatches {
	var all []*wire.WatchRequest
	for k := range o.Presents {
		req := &wire.WatchRequest{
			Prefix: topology.Prefix(i % t.Resources), ResourceVersion: wire.Unset, Match: wire.MatchNotOlderThan,
			SendInitialEvents: wire.SendInitialEventsFalse, AllowBookmarks: true, Announce: true,
		}
		if (i+k)%2 == 1 {
			req.ResourceVersion = 0
		}
		all = append(all, req)
	}
	return func(*sim.Env) []*wire.WatchRequest { return all }
}

// anyMatch is the only match that the API takes with these initial events, or now and
// then any other.
func anyMatch(s *swarm, initial wire.SendInitialEvents) wire.ResourceVersionMatch {
	right := wire.MatchUnset
	if initial != wire.SendInitialEventsUnset {
		right = wire.MatchNotOlderThan
	}
	wrong := max(0, s.draw(matchesVersions, 6, "match")-3)
	return (right + wire.ResourceVersionMatch(wrong)) % 4
}

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

// leaseIDs is how many leases clients name: few, so that they meet.
const leaseIDs = 2

// leaseTTLs are shorter than the shortest that etcd grants, longer, and longer than it takes.
var leaseTTLs = [...]int64{2, 1, 10, 60, 9_000_000_001}

func (p *planner) anyLease(s *swarm) int64 { return 1 + int64(s.env.Choose(leaseIDs, "lease")) }

// anyLeaseRequest grants a lease, or is about one that there may be.
func (p *planner) anyLeaseRequest(s *swarm) sim.Payload {
	id := p.anyLease(s)
	switch s.env.Choose(8, "kind of lease request") {
	case 0, 1, 2:
		if s.env.Choose(6, "lease that etcd names") == 1 {
			id = 0
		}
		return &wire.LeaseGrantRequest{ID: id, TTL: leaseTTLs[s.env.Choose(len(leaseTTLs), "time to live")]}
	case 3:
		return &wire.LeaseKeepAliveRequest{ID: id}
	case 4, 5, 6:
		return &wire.LeaseTimeToLiveRequest{ID: id, Keys: s.env.Choose(4, "keys of the lease") > 0}
	}
	return &wire.LeaseRevokeRequest{ID: id}
}
