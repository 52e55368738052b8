package testbed

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// programs are the clients that carry out a fixed list of operations: writers,
// noise, readers, owners, and the client that compacts.
type programs struct {
	plans   []program
	clients []*workload.Client
	// done is the number of clients, from the first on, that have ended: a client
	// that has ended stays so.
	done int
}

type program struct {
	name  string
	steps []workload.Step
	// await is the cache that has to be ready first, 0 for none.
	await sim.NodeID
}

func (g *programs) add(s *System, name string, steps []workload.Step) {
	var await sim.NodeID
	for i := range steps {
		if to := steps[i].To; to != s.topology.Etcd && s.params.AwaitReady && await == 0 {
			await = to
		}
	}
	g.plans = append(g.plans, program{name, steps, await})
	g.clients = append(g.clients, new(workload.Client))
	s.names = append(s.names, name)
	s.number()
}

func (g *programs) build(w *sim.World) {
	for i, c := range g.clients {
		c.Reset(g.plans[i].name, i, g.plans[i].steps, g.plans[i].await)
		w.Add(g.plans[i].name, c)
	}
	g.done = 0
}

func (g *programs) ended() bool {
	for ; g.done < len(g.clients); g.done++ {
		if !g.clients[g.done].Done() {
			return false
		}
	}
	return true
}

// Clients are those of the history, in its order.
func (s *System) Clients() []*workload.Client { return s.programs.clients }

// configurePrograms writes down what each of these clients does.
func (s *System) configurePrograms() {
	p := &s.params
	for i := range p.Writers {
		name := topology.Numbered("writer", i, p.Writers)
		s.programs.add(s, name, s.writes(i, name))
	}
	for i := range p.Noise {
		name := topology.Numbered("noise", i, p.Noise)
		var steps []workload.Step
		for j := range p.NoiseWrites {
			steps = append(steps, s.step(s.topology.Etcd, &wire.PutRequest{Key: topology.Elsewhere + name, Value: strconv.Itoa(j)}, s.noiseThink()))
		}
		s.programs.add(s, name, steps)
	}
	for i := range p.Readers {
		s.programs.add(s, topology.Numbered("reader", i, p.Readers), s.reads(i))
	}
	for i := range p.OwnReaders {
		name := topology.Numbered("owner", i, p.OwnReaders)
		var steps []workload.Step
		for j := range p.Rounds {
			steps = append(steps,
				s.step(s.topology.Etcd, &wire.PutRequest{Key: topology.Prefix(i%s.topology.Resources) + name, Value: strconv.Itoa(j)}, s.think()),
				s.step(s.topology.Cache(i, i), s.list(j, i), s.think()))
		}
		s.programs.add(s, name, steps)
	}
	if p.Compactions > 0 {
		var steps []workload.Step
		for j := range p.Compactions {
			rev := s.etcd.initial.Revision + int64(j+1)*s.totalWrites()/int64(p.Compactions+1)
			steps = append(steps, s.step(s.topology.Etcd, &wire.CompactionRequest{Revision: rev}, s.think()))
		}
		s.programs.add(s, "compactor", steps)
	}
	if s.topology.Compactors {
		s.names = append(s.names, compactorsName)
	}
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
		k := s.topology.Key((i + j) % max(1, p.Keys))
		if n := s.topology.Resources; p.Apart {
			k = s.topology.Key((i+j)%max(1, p.Keys)*n + n - 1)
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
		steps = append(steps, s.step(s.topology.Etcd, kinds[j%len(kinds)], s.think()))
	}
	return steps
}

// putAll puts every watched key in one transaction.
func (s *System) putAll(value string) *wire.TxnRequest {
	txn := &wire.TxnRequest{}
	for i := range max(1, s.params.Keys) {
		txn.Success = append(txn.Success, wire.RequestOp{Put: &wire.PutRequest{Key: s.topology.Key(i), Value: value}})
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
