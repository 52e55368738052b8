package prove

import (
	"cmp"
	"slices"
)

// keptPlaces is how many places of the next layer a search keeps if it has memory enough. Each takes some
// 150 bytes. States beyond that are made again from those before them, when their turn comes.
const keptPlaces = 1 << 17

// frontier has the places of states that are to be expanded. It spares the steps to them.
type frontier struct {
	// layer has places of the layer that is expanded, next those of the layer after it, in the order of
	// their states.
	layer, next places
	// most is how much memory the next layer may take.
	most int
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
func (p *places) get(i int) place {
	x, first := p.list[i], 0
	if i > 0 {
		first = p.ends[i-1]
	}
	x.parts = p.parts[first:p.ends[i]:p.ends[i]]
	return x
}

func (p *places) empty() places { return places{p.list[:0], p.ends[:0], p.parts[:0]} }

// placeBytes is what a place takes, with its end and without its parts.
const placeBytes = 72

// bytes is how much memory they take.
func (p *places) bytes() int { return placeBytes*cap(p.list) + 4*cap(p.parts) }

// keep takes the place of a state in. States come in their order.
func (f *frontier) keep(x place, parts []uint32) {
	if len(f.next.list) < keptPlaces && f.next.bytes() < f.most {
		f.next.add(x, parts)
	}
}

// find returns the place of a state of the layer that is expanded, if it is kept.
func (f *frontier) find(state uint32) (place, bool) {
	i, found := slices.BinarySearchFunc(f.layer.list, state, func(p place, s uint32) int { return cmp.Compare(p.state, s) })
	if !found {
		return place{}, false
	}
	return f.layer.get(i), true
}

// bytes is how much memory the frontier takes.
func (f *frontier) bytes() int { return f.layer.bytes() + f.next.bytes() }

// advance goes on to the next layer.
func (f *frontier) advance() { f.layer, f.next = f.next, f.layer.empty() }
