package prove

import (
	"cmp"
	"slices"
)

// keptPlaces is how many places of the next layer a worker keeps. Each takes some 100 bytes. States
// beyond that are made again from those before them, when their turn comes.
const keptPlaces = 1 << 15

// frontier has the places of states that a worker has found and that are to be expanded. It
// spares the steps to them. Only the worker itself can use them: it alone has their parts.
type frontier struct {
	// layer has places of the layer that is expanded, in the order of their states; those up
	// to at have had their turn. next has those of the layer after it.
	layer, next places
	at          int
	// offered is how many candidates for the next layer have their parts.
	offered int
}

// places have their parts one behind the other; ends is where those of each end.
type places struct {
	list  []place
	ends  []int
	parts []uint32
}

func (p *places) add(x place, parts []uint32) {
	x.parts = nil
	p.parts = append(p.parts, parts...)
	p.list, p.ends = append(p.list, x), append(p.ends, len(p.parts))
}

// get is a place with its parts.
func (p *places) get(i int) *place {
	x, first := &p.list[i], 0
	if i > 0 {
		first = p.ends[i-1]
	}
	x.parts = p.parts[first:p.ends[i]:p.ends[i]]
	return x
}

func (p *places) empty() places { return places{p.list[:0], p.ends[:0], p.parts[:0]} }

// offer lets a candidate take its parts along, if there is room.
func (f *frontier) offer(c *chunk, found *candidate) {
	parts := found.at.parts
	if found.at.parts = nil; f.offered == keptPlaces {
		return
	}
	f.offered++
	found.first = len(c.parts)
	c.parts = append(c.parts, parts...)
	found.last = len(c.parts)
}

// keep takes a candidate in that has become a state. Candidates come in the order of their
// states.
func (f *frontier) keep(c *chunk, found *candidate, state uint32) {
	if found.first == found.last || c.era != c.by.era {
		return
	}
	found.at.state = state
	f.next.add(found.at, c.parts[found.first:found.last])
}

// decline gives up the parts of a candidate that is a known state after all.
func (f *frontier) decline(c *chunk, found *candidate) {
	if found.first < found.last && c.era == c.by.era {
		f.offered--
	}
}

// visit returns the place of a state, nil if it is not kept. It is valid until the next
// visit. States are visited in their order.
func (f *frontier) visit(state uint32) *place {
	for f.at < len(f.layer.list) && f.layer.list[f.at].state < state {
		f.at++
	}
	if f.at == len(f.layer.list) || f.layer.list[f.at].state != state {
		return nil
	}
	return f.layer.get(f.at)
}

// advance goes on to the next layer.
func (f *frontier) advance() {
	f.layer, f.next, f.at, f.offered = f.next, f.layer.empty(), 0, 0
}

// has reports whether the place of a state of this layer is kept.
func (f *frontier) has(state uint32) bool {
	_, found := slices.BinarySearchFunc(f.layer.list[f.at:], state, func(p place, s uint32) int { return cmp.Compare(p.state, s) })
	return found
}
