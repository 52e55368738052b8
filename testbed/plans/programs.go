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
		p.add(name, p.writes(i, name))
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
func (p *planner) writes(i int, name string) []workload.Step {
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
		if p.o.Rewrites {
			all := p.putAll(put.Value)
			remove := wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: everyKey, RangeEnd: "\x00"}}
			all.Success = slices.Insert(all.Success, 0, remove)
			kinds = append(kinds, all)
		}
		steps = append(steps, p.step(p.t.KV(i), kinds[j%len(kinds)], Think(p.o)))
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

// create puts a key that does not exist, and reads one that does, as the API
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
		steps = append(steps, p.step(p.t.Etcd, &wire.PutRequest{Key: prefix + name, Value: strconv.Itoa(j)}, think))
	}
	return steps
}

// compactions are spread over the revisions of the run, or are of what is newest then.
func (p *planner) compactions() []workload.Step {
	var steps []workload.Step
	for j := range p.o.Compactions {
		rev := p.o.FirstRevision() + int64(j+1)*p.o.TotalWrites()/int64(p.o.Compactions+1)
		step := p.step(p.t.Etcd, &wire.CompactionRequest{Revision: rev}, Think(p.o))
		if p.o.CompactNewest {
			steps = append(steps, p.step(p.t.Etcd, &wire.RangeRequest{Key: topology.Elsewhere}, step.Think))
			step.Think = sim.Delay{}
			step.SinceSeen = func(seen int64) workload.Step {
				return p.step(p.t.Etcd, &wire.CompactionRequest{Revision: seen}, sim.Delay{})
			}
		}
		steps = append(steps, step)
	}
	return steps
}
