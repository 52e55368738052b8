package scenarios

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// plan writes down what each client of the workload does.
func (s *System) plan() {
	p := &s.params
	for i := range p.Writers {
		name := numbered("writer", i, p.Writers)
		s.addProgram(name, s.writes(i, name))
	}
	for i := range p.Noise {
		name := numbered("noise", i, p.Noise)
		var steps []workload.Step
		for j := range p.NoiseWrites {
			steps = append(steps, s.step(s.etcdNode, &wire.PutRequest{Key: NoisePrefix + name, Value: strconv.Itoa(j)}, s.noiseThink()))
		}
		s.addProgram(name, steps)
	}
	for i := range p.Readers {
		s.addProgram(numbered("reader", i, p.Readers), s.reads(i))
	}
	for i := range p.OwnReaders {
		name := numbered("owner", i, p.OwnReaders)
		var steps []workload.Step
		for j := range p.Rounds {
			steps = append(steps,
				s.step(s.etcdNode, &wire.PutRequest{Key: prefixOf(i%p.resources()) + name, Value: strconv.Itoa(j)}, s.think()),
				s.step(s.cacheNode(i, i), s.list(j, i), s.think()))
		}
		s.addProgram(name, steps)
	}
	if p.Compactions > 0 {
		var steps []workload.Step
		for j := range p.Compactions {
			rev := s.initial.Revision + int64(j+1)*s.totalWrites()/int64(p.Compactions+1)
			steps = append(steps, s.step(s.etcdNode, &wire.CompactionRequest{Revision: rev}, s.think()))
		}
		s.addProgram("compactor", steps)
	}
	for range p.Watchers {
		s.watchers = append(s.watchers, new(workload.Watcher))
	}
	for range p.Streams {
		s.raw = append(s.raw, new(workload.EtcdWatch))
	}
}

func (s *System) addProgram(name string, steps []workload.Step) {
	var await sim.NodeID
	for i := range steps {
		if to := steps[i].To; to != s.etcdNode && s.params.AwaitReady && await == 0 {
			await = to
		}
	}
	s.programs = append(s.programs, program{name, steps, await})
	s.names = append(s.names, name)
	s.workers = append(s.workers, new(workload.Client))
}

func (s *System) totalWrites() int64 {
	p := &s.params
	return int64(p.Writers*p.Writes + p.Noise*p.NoiseWrites + p.OwnReaders*p.Rounds)
}

func (s *System) step(to sim.NodeID, payload sim.Payload, think sim.Delay) workload.Step {
	r := workload.Request(payload)
	if s.params.AsConsistent {
		r.Freshness = model.Consistent
	}
	return workload.Step{To: to, Payload: payload, Request: r, Think: think}
}

// thinkSteps is how finely the pauses of clients are chosen: finer than the
// delays of the network, since a pause of the right length is what most
// violations need.
const thinkSteps = 40

func (s *System) think() sim.Delay {
	if s.params.Think == 0 {
		return sim.Delay{}
	}
	return sim.Delay{Max: s.params.Think, Steps: thinkSteps}
}

// noiseThink spreads the noise over its time.
func (s *System) noiseThink() sim.Delay {
	if s.params.NoiseFor == 0 || s.params.NoiseWrites == 0 {
		return s.think()
	}
	return sim.Delay{Max: 2 * s.params.NoiseFor / time.Duration(s.params.NoiseWrites), Steps: thinkSteps}
}

// writes of one writer go round the keys, each from another start, and round
// the kinds of writes.
func (s *System) writes(i int, name string) []workload.Step {
	p := &s.params
	var steps []workload.Step
	for j := range p.Writes {
		k := p.watched((i + j) % max(1, p.Keys))
		if n := p.resources(); p.Apart {
			k = p.watched((i+j)%max(1, p.Keys)*n + n - 1)
		}
		put := &wire.PutRequest{Key: k, Value: name[len("writer"):] + "." + strconv.Itoa(j)}
		kinds := []sim.Payload{put}
		if p.Deletes {
			kinds = append(kinds, &wire.DeleteRangeRequest{Key: k})
		}
		if p.Txns {
			kinds = append(kinds, create(put))
		}
		if p.Wide {
			kinds = append(kinds, s.putAll(put.Value))
		}
		steps = append(steps, s.step(s.etcdNode, kinds[j%len(kinds)], s.think()))
	}
	return steps
}

// putAll puts every watched key in one transaction.
func (s *System) putAll(value string) *wire.TxnRequest {
	txn := &wire.TxnRequest{}
	for i := range max(1, s.params.Keys) {
		txn.Success = append(txn.Success, wire.RequestOp{Put: &wire.PutRequest{Key: s.params.watched(i), Value: value}})
	}
	return txn
}

// create puts a key that does not exist, and reads one that does, as the API
// machinery creates an object.
func create(put *wire.PutRequest) *wire.TxnRequest {
	return &wire.TxnRequest{
		Compare: []wire.Compare{{Key: put.Key, Target: wire.CompareMod, Result: wire.CompareEqual}},
		Success: []wire.RequestOp{{Put: put}},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: put.Key}}},
	}
}

func (s *System) reads(i int) []workload.Step {
	p := &s.params
	var steps []workload.Step
	for j := range max(p.Reads, p.Gets) {
		at := i
		if p.Move {
			at += j
		}
		if j < p.Reads {
			resource := i + j
			if p.Apart {
				resource = 0
			}
			step := s.step(s.cacheNode(at, resource), s.list(3*i+j, resource), s.think())
			step.Pages = p.morePages()
			steps = append(steps, step)
		}
		if j < p.Gets {
			n := (i + j) % max(1, p.Keys)
			steps = append(steps, s.step(s.cacheNode(at, n), s.get(i+j), s.think()))
		}
	}
	if len(steps) > 0 {
		steps[0].Think.Min += p.ReadFrom
		steps[0].Think.Max += p.ReadFrom
	}
	return steps
}

// list is what readers ask for, at the n-th time, of a resource.
func (s *System) list(n, resource int) *wire.ListRequest {
	l := &wire.ListRequest{Prefix: prefixOf(resource % s.params.resources()), ResourceVersion: wire.Unset}
	if n := s.params.Namespaces; n > 0 {
		// The API machinery's key of a namespace has no "/" behind it.
		l.Prefix += namespace(resource % n)
	}
	read := s.params.Read
	if read == "every" {
		read = everyList[n%len(everyList)]
	}
	if read == "past" {
		s.past(l, n)
		return l
	}
	switch read {
	case "consistent":
	case "any":
		l.ResourceVersion = 0
	case "not-older":
		l.ResourceVersion, l.Match = s.initial.Revision+1, wire.MatchNotOlderThan
	case "future":
		l.ResourceVersion, l.Match = s.initial.Revision+s.totalWrites()+1, wire.MatchNotOlderThan
	case "exact":
		l.ResourceVersion, l.Match = s.initial.Revision, wire.MatchExact
	case "page", "pages":
		l.Limit = 1
	case "page-any":
		l.ResourceVersion, l.Limit = 0, 1
	case "invalid":
		l.Match = wire.MatchExact
	}
	return l
}

// past asks for an earlier state, at the n-th time: exactly, in pages, both, and
// in pages of the newest state, which is the past by the second page; now and
// then for the newest state. The revisions are the first that there is, one in
// the middle, and the last or one that is not there yet.
func (s *System) past(l *wire.ListRequest, n int) {
	way := n % 5
	if way != 0 && way != 4 {
		l.Limit = 1
	}
	if way == 1 || way == 4 {
		return
	}
	l.ResourceVersion = s.initial.Revision + int64(n/5%3)*s.totalWrites()/2
	if way != 2 {
		l.Match = wire.MatchExact
	}
}

// morePages is how many pages readers ask for after the first: more than there
// are, if they follow pages at all.
func (p *Params) morePages() int {
	if p.Read == "pages" || p.Read == "past" {
		return p.Keys + p.Items + 1
	}
	return 0
}

// everyList are the ways of a LIST, of which a workload that asks in every way
// takes one after the other. The revision of "future" does not come before the
// end, if at all; "invalid" is a match without a resourceVersion.
var everyList = []string{"consistent", "any", "not-older", "page", "exact", "future", "page-any", "invalid"}

// get is what readers ask for, at the n-th time.
func (s *System) get(n int) *wire.GetRequest {
	g := &wire.GetRequest{Key: s.params.watched(n % max(1, s.params.Keys)), ResourceVersion: wire.Unset}
	if s.params.Read == "every" {
		g.ResourceVersion = []int64{wire.Unset, 0, s.initial.Revision + 1}[n%3]
	}
	if s.params.Read == "not-older" {
		g.ResourceVersion = s.initial.Revision + 1
	}
	return g
}

// planFaults spreads the faults evenly over the processes.
func (s *System) planFaults() {
	p := &s.params
	for i := range s.servers {
		server := &s.servers[i]
		share := func(total int) sim.Budget {
			n := total / p.Caches
			if i < total%p.Caches {
				n++
			}
			return sim.Budget{Times: n, Within: p.FaultsFor}
		}
		if b := share(p.Breaks); b.Times > 0 {
			s.faults = append(s.faults, plannedFault{&sim.BreakStream{
				From: server.client, To: max(s.etcdNode, s.follower), Label: numbered("client", i, p.Caches) + ">etcd"}, b})
		}
		if b := share(p.Restarts); b.Times > 0 {
			s.faults = append(s.faults, plannedFault{&sim.RestartProcess{
				Nodes: server.nodes(), Label: numbered("cache", i, p.Caches)}, b})
		}
		if b := share(p.Recreations); b.Times > 0 {
			s.faults = append(s.faults, plannedFault{&cache.RecreateStorage{
				Node: server.caches[0], Label: numbered("cache", i, p.Caches)}, b})
		}
	}
	add := func(times int, f sim.Fault) {
		if times > 0 {
			s.faults = append(s.faults, plannedFault{f, sim.Budget{Times: times, Within: p.FaultsFor}})
		}
	}
	s.upkeep.faults(s)
	add(p.EtcdRestarts, &sim.RestartProcess{Nodes: []sim.NodeID{s.etcdNode}, Label: "etcd"})
	add(p.Snapshots, &etcd.InstallSnapshot{Node: s.etcdNode, Label: "etcd"})
}
