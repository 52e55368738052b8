package plans

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// The features of a client that reads from a cache.
const (
	getsObjects feature = iota
	listsScopes
	givesVersions
	givesMatches
	givesLimits
	turnsPages
	givesBesideTokens
	givesBadTokens
	goesToEtcd
	selectsObjects
	selectsLabels
	selectsTerms
	selectsShards
	listsSingles
	listsKeys
)

var readFeatures = []string{
	getsObjects: "GETs", listsScopes: "namespaces", givesVersions: "resourceVersions", givesMatches: "matches",
	givesLimits: "limits", turnsPages: "pages", givesBesideTokens: "resourceVersions beside continue tokens",
	givesBadTokens: "bad continue tokens", goesToEtcd: "lists from etcd", selectsObjects: "selectors", selectsLabels: "labels",
	selectsTerms: "selectors of several terms", selectsShards: "shards", listsSingles: "single objects", listsKeys: "keys alone",
}

// drawn adds the clients that draw their requests.
func (p *planner) drawn() {
	d := &p.o.Drawn
	for i := range d.OfCache {
		var await sim.NodeID
		if p.o.AwaitReady {
			await = p.t.Cache(i, i)
		}
		p.programs = append(p.programs, Program{
			Name: topology.Numbered("any-reader", i, d.OfCache), Await: await,
			Draw: func(env *sim.Env) []workload.Step { return p.anyReads(sourceOf(d, env, ofReaders, i), i) },
		})
	}
	for i := range d.OfEtcd {
		name := topology.Numbered("any-client", i, d.OfEtcd)
		p.programs = append(p.programs, Program{
			Name: name,
			Draw: func(env *sim.Env) []workload.Step { return p.anyOperations(sourceOf(d, env, ofClients, i), i, name) },
		})
	}
}

// anyReads are LISTs and GETs of the i-th client, with any options.
func (p *planner) anyReads(env source, i int) []workload.Step {
	d := &p.o.Drawn
	s := drawSwarm(env, without(readFeatures,
		optional{selectsObjects, d.Selectors}, optional{selectsLabels, d.Selectors && d.Labels}, optional{selectsTerms, d.Selectors && d.Terms},
		optional{selectsShards, d.Selectors && d.Shards}, optional{listsSingles, d.Singles}, optional{listsKeys, d.KeysOnly}))
	var steps []workload.Step
	for j := range p.o.Drawn.Requests {
		server := i
		if p.o.Move {
			server += j
		}
		to := p.t.Cache(server, i)
		if s.flip(getsObjects, "a GET") {
			steps = append(steps, p.step(to, p.anyGet(s, i), Think(p.o)))
			continue
		}
		list := p.anyList(s, i)
		step := p.step(to, list, Think(p.o))
		if list.Limit > 0 && s.flip(turnsPages, "turn pages") {
			step.Pages = p.o.Keys + p.o.Items + 1
			step.BesideToken, step.TakesRest = p.besideToken(s), p.o.TakeRests
		}
		steps = append(steps, step)
	}
	return steps
}

func (p *planner) anyGet(s *swarm, resource int) *wire.GetRequest {
	prefix := topology.Prefix(resource % p.t.Resources)
	// The last three are no object, or not the cache's.
	keys := []string{p.t.Key(0), p.t.Key(1), p.t.Key(max(1, p.o.Keys) - 1), prefix + "none", prefix, topology.Elsewhere + "old0", topology.Neighbours[0] + "a"}
	return &wire.GetRequest{
		Key:             keys[s.env.Choose(len(keys), "key")],
		ResourceVersion: p.anyVersion(s, givesVersions),
	}
}

// BadToken is a continue token that no API server has made.
const BadToken = "no token"

func (p *planner) anyList(s *swarm, resource int) *wire.ListRequest {
	// The last of them is not the cache's.
	scopes := append(p.scopes(resource), topology.Elsewhere)
	l := &wire.ListRequest{
		Prefix:          scopes[s.draw(listsScopes, len(scopes), "prefix")],
		ResourceVersion: p.anyVersion(s, givesVersions),
		Match:           wire.ResourceVersionMatch(s.draw(givesMatches, 4, "match")),
		Limit:           int64(s.draw(givesLimits, 4, "limit")),
		FromEtcd:        s.flip(goesToEtcd, "from etcd"),
		Selector:        p.anySelector(s, selectsObjects, selectsLabels, selectsTerms, selectsShards),
		KeysOnly:        s.flip(listsKeys, "keys only"),
	}
	if s.flip(listsSingles, "single") {
		l.Single, l.Prefix = true, p.anyObject(s, resource)
		return l
	}
	if s.draw(givesBadTokens, 4, "bad continue token") == 1 {
		l.Continue = BadToken
	}
	return l
}

// WatcherSelector is that of the i-th client that watches without drawing: the objects of
// one of the first two writers, by a field with an index or by one without, or those of a shard.
func WatcherSelector(o *workload.Options, t *topology.Topology, i int) wire.Selector {
	if o.Drawn.Shards {
		return wire.Selector{Shard: shards(t)[i%4]}
	}
	return selectors[1+i%3]
}

// shards are the two below the uid of the first object and from there on, and the same of the first writer.
func shards(t *topology.Topology) [4]wire.Shard {
	first := &wire.KeyValue{Key: t.Key(0), CreateRevision: 2}
	uid, writer := wire.HashOf(first.UID()), wire.HashOf("w1")
	return [...]wire.Shard{{To: uid}, {From: uid}, {By: workload.IndexedField, To: writer}, {By: workload.IndexedField, From: writer}}
}

// anyObject is the key of an object of a resource, a key that no object has, or, if there are
// namespaces, the common beginning of the keys of objects.
func (p *planner) anyObject(s *swarm, resource int) string {
	prefix := topology.Prefix(resource % p.t.Resources)
	keys := []string{p.t.Key(0), p.t.Key(max(1, p.o.Keys) - 1), prefix + "none", prefix + topology.Namespace(0)}
	return keys[s.env.Choose(len(keys), "object")]
}

// anySelector is by a field, by a label, by both, by more terms of these, or by none, and of a shard or of all.
func (p *planner) anySelector(s *swarm, objects, labels, terms, parts feature) wire.Selector {
	selector := anyTerm(s, objects, labels)
	if shard := s.draw(parts, 5, "shard"); shard > 0 {
		selector.Shard = shards(p.t)[shard-1]
	}
	if s.flip(terms, "another term") {
		more := anyTerm(s, objects, labels)
		selector.And = &more
	}
	return selector
}

func anyTerm(s *swarm, objects, labels feature) wire.Selector {
	selector := selectors[s.draw(objects, len(selectors), "selector")]
	if write := s.draw(labels, 5, "label"); write > 0 {
		// The first three writes of each writer, and one that none of them makes.
		selector.Label, selector.LabelValue = workload.WriteLabel, [...]string{"0", "1", "2", "none"}[write-1]
	}
	return selector
}

// selectors are by a field with an index and by one without, of the first two writers,
// of what was there before, and of none; the last is by a field that the API does not
// know.
var selectors = []wire.Selector{
	{},
	{Field: workload.IndexedField, Value: "w1"},
	{Field: workload.UnindexedField, Value: "w1"},
	{Field: workload.IndexedField, Value: "w2"},
	{Field: workload.UnindexedField, Value: workload.InitialValue},
	{Field: workload.IndexedField, Value: "none"},
	{Field: workload.UnknownField, Value: "w1"},
}

// scopes are what a list or a watch may be about: a resource or a namespace, with or
// without the "/" behind it, or one without objects.
func (p *planner) scopes(resource int) []string {
	prefix := topology.Prefix(resource % p.t.Resources)
	return []string{prefix, prefix[:len(prefix)-1], prefix + topology.Namespace(0), prefix + topology.Namespace(1) + "/", prefix + "none/"}
}

// anyVersion is unset, 0, a version that no API takes, or a revision: of the contents
// before the run, of one of its writes, or a revision that does not come.
func (p *planner) anyVersion(s *swarm, f feature) int64 {
	switch s.draw(f, 8, "resourceVersion") {
	case 0:
		return wire.Unset
	case 1:
		return 0
	case 2:
		return wire.Unset - 1
	}
	return p.anyRevision(s)
}

// anyRevision is that of the contents before the run, one of its writes, or one of the
// two that come after its last. Of earlier ones the model knows nothing.
func (p *planner) anyRevision(s *swarm) int64 {
	return p.o.FirstRevision() + int64(s.env.Choose(int(p.o.TotalWrites())+3, "revision"))
}

// besideToken is what stands beside the continue tokens of a list; nil for nothing.
func (p *planner) besideToken(s *swarm) *wire.ListRequest {
	if !s.flip(givesBesideTokens, "resourceVersion beside the token") {
		return nil
	}
	return &wire.ListRequest{
		ResourceVersion: p.anyVersion(s, givesVersions),
		Match:           wire.ResourceVersionMatch(s.draw(givesMatches, 4, "match")),
	}
}

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
