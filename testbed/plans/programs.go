// Package plans (unstable) writes down what each client of a system does, from the options of the
// clients and the topology: which requests it sends to which node, in which order.
//
// A plan is fixed before the first run, or it is a function that draws the requests
// from choices of the run when the client starts (the files drawn_*).
// The package must never import testbed or a package of servers, such as sim/etcd or
// sim/cache.
package plans

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// Program is what one client of the history does.
type Program struct {
	Name  string
	Steps []workload.Step
	// Draw makes the steps in the run; nil if they are fixed.
	Draw workload.Draw
	// Await is the cache that has to be ready first, 0 for none.
	Await sim.NodeID
}

// Programs is what the clients of the history do: writers, updaters, noise, readers, owners,
// and the one that compacts.
func Programs(o *workload.Options, t *topology.Topology) []Program {
	p := &planner{o: o, t: t}
	for i := range o.Writers {
		name := topology.Numbered("writer", i, o.Writers)
		p.add(name, p.writes(i))
	}
	for i := range o.Updating.Clients {
		name := topology.Numbered("updater", i, o.Updating.Clients)
		p.add(name, p.updates(i))
	}
	for i := range o.Noise {
		name := topology.Numbered("noise", i, o.Noise)
		p.add(name, p.noise(name))
	}
	for i := range o.Readers {
		p.add(topology.Numbered("reader", i, o.Readers), p.reads(i))
	}
	for i := range o.OwnReaders {
		name := topology.Numbered("owner", i, o.OwnReaders)
		p.add(name, p.ownReads(i, name))
	}
	if o.Compactions > 0 {
		p.add("compactor", p.compactions())
	}
	p.drawn()
	return p.programs
}

// planner plans for the clients o in the topology t.
type planner struct {
	o        *workload.Options
	t        *topology.Topology
	programs []Program
}

func (p *planner) add(name string, steps []workload.Step) {
	var await sim.NodeID
	for i := range steps {
		if to := steps[i].To; p.o.AwaitReady && await == 0 && p.t.IsCache(to) {
			await = to
		}
	}
	p.programs = append(p.programs, Program{Name: name, Steps: steps, Await: await})
}

func (p *planner) step(to sim.NodeID, payload sim.Payload, think sim.Delay) workload.Step {
	r := workload.Request(payload)
	if p.o.AsConsistent {
		r.Freshness = model.Consistent
	}
	return workload.Step{To: to, Payload: payload, Request: r, Think: think}
}

// thinkSteps is how finely the pauses of clients are chosen: finer than the
// delays of the network, since a pause of the right length is what most
// violations need.
const thinkSteps = 40

// Think is the pause of a client before an operation.
func Think(o *workload.Options) sim.Delay {
	if o.Think == 0 {
		return sim.Delay{}
	}
	return sim.Delay{Max: o.Think, Steps: thinkSteps}
}

// writes of one writer go round the keys, each from another start, and round
// the kinds of writes.
func (p *planner) writes(i int) []workload.Step {
	var steps []workload.Step
	for j := range p.o.Writes {
		n := (i + j) % max(1, p.o.Keys)
		if p.o.Apart {
			n = n*p.t.Resources + p.t.Resources - 1
		}
		put := &wire.PutRequest{Key: p.t.Key(n), Value: "w" + strconv.Itoa(i+1) + "." + strconv.Itoa(j)}
		kinds := []sim.Payload{put}
		if p.o.Deletes {
			kinds = append(kinds, &wire.DeleteRangeRequest{Key: put.Key})
		}
		if p.o.Txns {
			kinds = append(kinds, create(put))
		}
		if p.o.Wide {
			kinds = append(kinds, p.putAll(put.Value))
		}
		if p.o.DeletesAll {
			kinds = append(kinds, &wire.DeleteRangeRequest{Key: topology.Prefix(0), RangeEnd: model.PrefixEnd(topology.Prefix(0))})
		}
		if p.o.Rewrites {
			all := p.putAll(put.Value)
			remove := wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: everyKey, RangeEnd: "\x00"}}
			all.Success = slices.Insert(all.Success, 0, remove)
			kinds = append(kinds, all)
		}
		steps = append(steps, p.step(p.t.KV(i, j), kinds[j%len(kinds)], Think(p.o)))
	}
	return beginning(steps, p.o.WriteFrom)
}

// beginning has the first step wait longer.
func beginning(steps []workload.Step, after time.Duration) []workload.Step {
	if len(steps) > 0 {
		steps[0].Think.Min += after
		steps[0].Think.Max += after
	}
	return steps
}

// putAll puts every watched key in one transaction.
func (p *planner) putAll(value string) *wire.TxnRequest {
	txn := &wire.TxnRequest{}
	for i := range max(1, p.o.Keys) {
		txn.Success = append(txn.Success, wire.RequestOp{Put: &wire.PutRequest{Key: p.t.Key(i), Value: value}})
	}
	return txn
}

// create puts a key if it does not exist, and reads it otherwise, as the API
// machinery creates an object.
func create(put *wire.PutRequest) *wire.TxnRequest {
	return &wire.TxnRequest{
		Compare: []wire.Compare{{Key: put.Key, Target: wire.CompareMod, Result: wire.CompareEqual}},
		Success: []wire.RequestOp{{Put: put}},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: put.Key}}},
	}
}

// noise is writes of a key that no cache holds, spread over their time.
func (p *planner) noise(name string) []workload.Step {
	think := Think(p.o)
	if p.o.NoiseFor > 0 && p.o.NoiseWrites > 0 {
		think = sim.Delay{Max: 2 * p.o.NoiseFor / time.Duration(p.o.NoiseWrites), Steps: thinkSteps}
	}
	var steps []workload.Step
	for j := range p.o.NoiseWrites {
		prefix := topology.Elsewhere
		if p.o.NoiseBeside {
			prefix = topology.Neighbours[j%len(topology.Neighbours)]
		}
		steps = append(steps, p.step(p.t.Member(j), &wire.PutRequest{Key: prefix + name, Value: strconv.Itoa(j)}, think))
	}
	return steps
}

// compactions are spread over the revisions of the run, or are of what is newest then.
func (p *planner) compactions() []workload.Step {
	var steps []workload.Step
	for j := range p.o.Compactions {
		rev := p.o.FirstRevision() + int64(j+1)*p.o.TotalWrites()/int64(p.o.Compactions+1)
		step := p.step(p.t.Member(j), &wire.CompactionRequest{Revision: rev}, Think(p.o))
		if p.o.CompactNewest {
			steps = append(steps, p.step(p.t.Member(j), &wire.RangeRequest{Key: topology.Elsewhere}, step.Think))
			step.Think = sim.Delay{}
			step.SinceSeen = func(seen int64) workload.Step {
				return p.step(p.t.Member(j), &wire.CompactionRequest{Revision: seen}, sim.Delay{})
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// listRetries is how often a client asks again that was not sent the end of its
// initial events: enough for every fault of the catalogue.
const listRetries = 8

// ListWatch is what the i-th client does that asks for initial events.
func ListWatch(o *workload.Options, t *topology.Topology, i int) workload.ListWatchPlan {
	w := &o.ListWatch
	plan := workload.ListWatchPlan{
		Prefix: topology.Prefix(i % t.Resources), First: o.FirstRevision(), Rounds: w.Rounds, Retries: listRetries,
		Slow: w.Slow, Pace: w.Pace, Seconds: int64(w.For / time.Second), Follow: Think(o), AwaitReady: o.AwaitReady,
	}
	versions := w.Versions()
	for j := range versions {
		plan.Versions = append(plan.Versions, versions[(i+j)%len(versions)])
	}
	for j := range t.APIServers {
		plan.To = append(plan.To, t.Cache(i+j, i))
	}
	return plan
}

// pollPause is how long a client waits that was not told when to come back.
const pollPause = 10 * time.Millisecond

// Polling is what the i-th client does that lists again and again. Faults end at
// healed.
func Polling(o *workload.Options, t *topology.Topology, i int, healed sim.Time) workload.PollerPlan {
	return workload.PollerPlan{
		To:    t.Cache(i, i),
		List:  &wire.ListRequest{Prefix: topology.Prefix(i % t.Resources), ResourceVersion: wire.Unset},
		Think: Think(o), Patience: o.Polling.Patience, HonoursRetryAfter: o.Polling.Honour, Pause: pollPause,
		Healed: healed, Bystander: i%len(t.APIServers) != 0,
	}
}

// EveryWatch is what the i-th client does that speaks etcd's watch protocol, if its
// scenario does not say: the options of a watch take turns, so that two streams
// have all of them. First is the revision of the contents before the run.
func EveryWatch(first int64, i int) workload.EtcdWatchPlan {
	prefix := topology.Prefix(0)
	// The id in taken is in use: etcd refuses it. Revision 2 is the first that a run can have besides the empty
	// store's.
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

// source answers what is drawn: the run, or a seed.
type source interface {
	Choose(n int, what string) int
}

// kind tells apart clients that draw, so that each draws its own from a seed.
type kind uint64

const (
	ofReaders kind = iota
	ofClients
	ofWatchers
	ofStreams
)

// sourceOf is the source of the i-th client of a kind.
func sourceOf(d *workload.DrawnOptions, run *sim.Env, k kind, i int) source {
	switch {
	case d.Seed == 0 && run == nil:
		return last{}
	case d.Seed == 0:
		return run
	}
	return &seeded{uint64(d.Seed)<<32 | uint64(k)<<16 | uint64(i)}
}

// last draws the last choice: requests with everything that a client uses.
type last struct{}

func (last) Choose(n int, _ string) int { return n - 1 }

// seeded draws the same in each run: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
type seeded struct{ state uint64 }

func (s *seeded) Choose(n int, _ string) int {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// updates are what the i-th client writes through its API server. It goes round the keys once it
// has written each of them in every way.
func (p *planner) updates(i int) []workload.Step {
	u := updater{planner: p, server: i, prefix: "u" + strconv.Itoa(i+1) + "."}
	ways := []func(key string, j int) workload.Step{u.add}
	switch p.o.Updating.Kind {
	case "every":
		ways = []func(key string, j int) workload.Step{
			u.create, u.add, u.add, u.again, u.expected, u.conditional, u.removeHolding, u.addOrCreate, u.anew, u.removeConditional,
		}
	case "recreate":
		ways = []func(key string, j int) workload.Step{u.addOrCreate, u.removeConditional, u.addOrCreate, u.removeHolding}
	}
	var steps []workload.Step
	for j := range p.o.Updating.Updates {
		// Each client begins one way before the one ahead of it.
		way := i*(len(ways)-1) + j
		u.n = i + j/len(ways)
		steps = append(steps, ways[way%len(ways)](p.t.Key(u.n%max(1, p.o.Keys)), j))
	}
	return steps
}

// updater plans for one client.
type updater struct {
	*planner
	server int
	// n is the number of the key.
	n int
	// prefix is that of all members that the client adds.
	prefix string
}

func (u *updater) step(payload sim.Payload) workload.Step {
	return u.planner.step(u.t.Cache(u.server, u.n%max(1, u.o.Keys)), payload, Think(u.o))
}

// since is a step that is made of the object which the client knows, or is another one if it knows of
// none.
func (u *updater) since(key string, without workload.Step, of func(own *wire.KeyValue) sim.Payload) workload.Step {
	at := *u
	without.OwnKey, without.SinceOwn = key, func(own *wire.KeyValue) workload.Step { return at.step(of(own)) }
	return without
}

// member is the member of the j-th step, the first step's for a negative j.
func (u *updater) member(j int) string { return u.prefix + strconv.Itoa(max(0, j)) }

func (u *updater) create(key string, j int) workload.Step {
	return u.step(&wire.CreateRequest{Key: key, Value: u.member(j)})
}

func (u *updater) add(key string, j int) workload.Step {
	return u.step(&wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j)})
}

func (u *updater) addOrCreate(key string, j int) workload.Step {
	return u.step(&wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j), IgnoreNotFound: true})
}

// again adds the member of two steps before, which the object may still have.
func (u *updater) again(key string, j int) workload.Step { return u.add(key, j-2) }

// anew adds a member that an object had which was deleted since then.
func (u *updater) anew(key string, j int) workload.Step { return u.add(key, j-3) }

// expected adds to the object that the client knows, as a PUT does.
func (u *updater) expected(key string, j int) workload.Step {
	return u.since(key, u.add(key, j), func(own *wire.KeyValue) sim.Payload {
		return &wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j), Expected: own.ModRevision}
	})
}

func (u *updater) conditional(key string, j int) workload.Step {
	return u.since(key, u.add(key, j), func(own *wire.KeyValue) sim.Payload {
		return &wire.GuaranteedUpdateRequest{Key: key, Add: u.member(j), Precondition: own.ModRevision}
	})
}

// removeHolding deletes an object to which the client has just added a member.
func (u *updater) removeHolding(key string, j int) workload.Step {
	return u.step(&wire.DeleteRequest{Key: key, Holding: u.member(j - 1)})
}

func (u *updater) removeConditional(key string, _ int) workload.Step {
	return u.since(key, u.step(&wire.DeleteRequest{Key: key}), func(own *wire.KeyValue) sim.Payload {
		return &wire.DeleteRequest{Key: key, Precondition: own.ModRevision}
	})
}

// reads is the program of the i-th reader: LISTs, with GETs between them.
func (p *planner) reads(i int) []workload.Step {
	var steps []workload.Step
	for j := range max(p.o.Reads, p.o.Gets) {
		server := i
		if p.o.Move {
			server += j
		}
		if j < p.o.Reads {
			resource := i + j
			if p.o.Apart {
				resource = 0
			}
			list := p.list(3*i+j, resource)
			p.selects(list, i)
			step := p.step(p.t.Cache(server, resource), list, Think(p.o))
			step.Pages, step.TakesRest = p.morePages(), p.o.TakeRests
			if p.o.Read == "seen" && j%2 == 1 {
				step.SinceSeen = p.sinceSeen(step, list)
			}
			if p.o.MovePages {
				step.Turns = p.caches(resource)
			}
			steps = append(steps, step)
		}
		if j < p.o.Gets {
			n := (i + j) % max(1, p.o.Keys)
			steps = append(steps, p.step(p.t.Cache(server, n), p.get(i+j), Think(p.o)))
		}
	}
	return beginning(steps, p.o.ReadFrom)
}

// caches are those of a resource, server by server.
func (p *planner) caches(resource int) []sim.NodeID {
	var all []sim.NodeID
	for i := range p.t.APIServers {
		all = append(all, p.t.Cache(i, resource))
	}
	return all
}

// ownReads is the program of a client that writes a key and then lists it.
func (p *planner) ownReads(i int, name string) []workload.Step {
	var steps []workload.Step
	for j := range p.o.Rounds {
		put := &wire.PutRequest{Key: topology.Prefix(i%p.t.Resources) + name, Value: strconv.Itoa(j)}
		steps = append(steps,
			p.step(p.t.Member(i+j), put, Think(p.o)),
			p.step(p.t.Cache(i, i), p.list(j, i), Think(p.o)))
	}
	return steps
}

// everyList are the ways of a LIST, of which a workload that asks in every way
// takes one after the other. The revision of "future" does not come before the
// end, if at all; "invalid" is a match without a resourceVersion.
var everyList = []string{"consistent", "any", "not-older", "page", "exact", "future", "page-any", "invalid"}

// wholeList are those of them that etcd's own cache library has calls for.
var wholeList = []string{"consistent", "any", "exact"}

// list is what readers ask for, at the n-th time, of a resource.
func (p *planner) list(n, resource int) *wire.ListRequest {
	l := &wire.ListRequest{Prefix: topology.Prefix(resource % p.t.Resources), ResourceVersion: wire.Unset}
	if spaces := p.t.Namespaces; spaces > 0 {
		// The API machinery's key of a namespace has no "/" behind it.
		l.Prefix += topology.Namespace(resource % spaces)
	}
	read := p.o.Read
	switch read {
	case "every":
		read = everyList[n%len(everyList)]
	case "whole":
		read = wholeList[n%len(wholeList)]
	}
	switch read {
	case "past":
		p.past(l, n)
	case "any":
		l.ResourceVersion = 0
	case "most-recent":
		l.ResourceVersion, l.Match = 0, wire.MatchMostRecent
	case "not-older":
		l.ResourceVersion, l.Match = p.o.FirstRevision()+1, wire.MatchNotOlderThan
	case "future":
		l.ResourceVersion, l.Match = p.o.FirstRevision()+p.o.TotalWrites()+1, wire.MatchNotOlderThan
	case "exact":
		l.ResourceVersion, l.Match = p.o.FirstRevision(), wire.MatchExact
	case "page", "pages", "filtered-pages":
		l.Limit = p.limit()
	case "page-any":
		l.ResourceVersion, l.Limit = 0, p.limit()
	case "invalid":
		l.Match = wire.MatchExact
	}
	return l
}

// sinceSeen is a list that must not be older than what the client has seen: what an
// informer asks for that lists again, and a client that moves between API servers.
func (p *planner) sinceSeen(s workload.Step, list *wire.ListRequest) func(seen int64) workload.Step {
	return func(seen int64) workload.Step {
		l := *list
		l.ResourceVersion, l.Match = seen, wire.MatchNotOlderThan
		return p.step(s.To, &l, s.Think)
	}
}

// past asks for an earlier state, at the n-th time: exactly, in pages, both, and
// in pages of the newest state, which is the past by the second page; now and
// then for the newest state. The revisions are the first that there is, one in
// the middle, and the last or one that is not there yet.
func (p *planner) past(l *wire.ListRequest, n int) {
	way := n % 5
	if way != 0 && way != 4 {
		l.Limit = p.limit()
	}
	if way == 1 || way == 4 {
		return
	}
	l.ResourceVersion = p.o.FirstRevision() + int64(n/5%3)*p.o.TotalWrites()/2
	if way != 2 {
		l.Match = wire.MatchExact
	}
}

// limit is how many objects a page has.
func (p *planner) limit() int64 { return int64(max(1, p.o.PageLimit)) }

// selects has the i-th reader list its own group, as a kubelet lists the pods of its node.
func (p *planner) selects(l *wire.ListRequest, i int) {
	switch p.o.Read {
	case "selected":
		l.Selector.Field = workload.IndexedField
	case "filtered", "filtered-pages":
		l.Selector.Field = workload.UnindexedField
	default:
		return
	}
	l.Selector.Value = workload.GroupOf(i, max(1, p.o.Groups))
}

// morePages is how many pages readers ask for after the first: more than there
// are, if they follow pages at all.
func (p *planner) morePages() int {
	switch p.o.Read {
	case "pages", "filtered-pages", "past":
		return p.o.Keys + p.o.Items + 1
	}
	return 0
}

// get is what readers ask for, at the n-th time.
func (p *planner) get(n int) *wire.GetRequest {
	g := &wire.GetRequest{Key: p.t.Key(n % max(1, p.o.Keys)), ResourceVersion: wire.Unset}
	switch p.o.Read {
	case "every":
		g.ResourceVersion = []int64{wire.Unset, 0, p.o.FirstRevision() + 1}[n%3]
	case "whole":
		g.ResourceVersion = []int64{wire.Unset, 0}[n%2]
	case "not-older":
		g.ResourceVersion = p.o.FirstRevision() + 1
	}
	return g
}

// swarm is the features that a client uses in a run: a random half of all that there
// are. A client that uses all of them in each run gets to fewer states: one feature
// keeps another from what it can do (Groce et al., Swarm Testing, ISSTA 2012). They are
// choices of the run, unless a seed gives them, and choice 0 is to do without.
type swarm struct {
	env  source
	uses uint64
}

// feature is an option of a request, or a kind of request, that a client may do
// without.
type feature uint8

// optional is a feature that clients have only if their options say so.
type optional struct {
	feature feature
	has     bool
}

// without leaves out the features that clients do not have.
func without(names []string, some ...optional) []string {
	left := slices.Clone(names)
	for _, o := range some {
		if !o.has {
			left[o.feature] = ""
		}
	}
	return left
}

// drawSwarm draws the features; names are those of all that there are, empty for what no
// client does.
func drawSwarm(env source, names []string) *swarm {
	s := &swarm{env: env}
	for f, name := range names {
		if name == "" {
			continue
		}
		s.uses |= uint64(env.Choose(2, "use "+name)) << f
	}
	return s
}

func (s *swarm) has(f feature) bool { return s.uses>>f&1 != 0 }

// draw picks one of so many values of a feature's option. It is 0 in a run that does
// without the feature.
func (s *swarm) draw(f feature, values int, what string) int {
	if !s.has(f) {
		return 0
	}
	return s.env.Choose(values, what)
}

// flip is draw for a switch.
func (s *swarm) flip(f feature, what string) bool { return s.draw(f, 2, what) == 1 }

// use does with features.
func (s *swarm) use(features ...feature) {
	for _, f := range features {
		s.uses |= 1 << f
	}
}

// leave does without features from now on.
func (s *swarm) leave(features ...feature) {
	for _, f := range features {
		s.uses &^= 1 << f
	}
}
