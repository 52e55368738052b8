package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// pastOf makes the past of a property that package linearizability knows.
func pastOf(p linearizability.Property) func(*testbed.System) testbed.Past {
	return func(s *testbed.System) testbed.Past { return &past{system: s, property: p} }
}

// past is what the witness keeps of the history.
type past struct {
	system   *testbed.System
	property linearizability.Property
	witness  linearizability.Witness
	kept     []linearizability.Kept
	// sums are by client.
	sums []sim.Digest
}

func (p *past) load() (clients int) {
	recorded := p.system.History()
	var log *model.Log
	if hasUnknownWrites(recorded) {
		log = p.system.Truth().Log()
	}
	p.witness.Load(recorded, log)
	p.kept = p.witness.Past(p.kept[:0], p.property)
	return len(recorded.Clients)
}

// Digest implements testbed.Past. What is kept is summed up: in which order clients made
// their calls does not matter any more.
func (p *past) Digest(d sim.Digest) sim.Digest {
	p.load()
	var sum sim.Digest
	for _, k := range p.kept {
		sum = sum.And(sim.NewDigest.Int(int64(k.Client)).Int(int64(k.Operation)).Int(k.Revision))
	}
	return d.Fold(sum)
}

// Apart implements testbed.ApartPast.
func (p *past) Apart(d sim.Digest, own []sim.Digest) sim.Digest {
	p.sums = append(p.sums[:0], make([]sim.Digest, p.load())...)
	var sum sim.Digest
	for _, k := range p.kept {
		to := &sum
		if k.Client >= 0 {
			to = &p.sums[k.Client]
		}
		*to = to.And(sim.NewDigest.Int(int64(k.Operation)).Int(k.Revision))
	}
	for i, x := range p.sums {
		own[i] = own[i].Fold(x)
	}
	return d.Fold(sum)
}
