package plans

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

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
