package prove

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Symmetric is an optional capability of a subject: some of its nodes cannot be told apart.
// A search then looks at one of the states that differ only in who is who.
type Symmetric interface {
	// Alike are sets of nodes. Two nodes of a set swap their places in a state if each is what the
	// other one was, and is named where the other one was. In the state that this makes the same
	// happens and is judged in the same way, with the two swapped.
	Alike() [][]sim.NodeID
	// PastApart is Past in parts: what it says of one of these nodes is mixed into the digest of that
	// node, by the order of Alike, and the rest into d.
	PastApart(d sim.Digest, own []sim.Digest) sim.Digest
}

// maxSet is how many nodes of a set change places: there are that many orders, factorial, of
// nodes that are in equal states. A larger set is taken for several.
const maxSet = 6

// symmetry brings the nodes that cannot be told apart into one order.
type symmetry struct {
	// members are the nodes of all sets, a set after another; ends is where each ends. sets leaves out
	// one that is left of a large set.
	sets    [][]sim.NodeID
	members []sim.NodeID
	ends    []int
	// place is, by node, its place among the members, -1 if it is none.
	place []int
	// all is in how many orders the members can be.
	all int

	renaming sim.Renaming
	sketch   sim.Sketch
	// signs and named are those of the members (sim.Sketch.Sign), order is which of them stands where.
	signs []sim.Digest
	named []bool
	order []int
	// least is the least fingerprint so far, equal in how many orders it is that.
	least sim.Digest
	equal int
}

func newSymmetry(sets [][]sim.NodeID, nodes int) *symmetry {
	y := &symmetry{place: slices.Repeat([]int{-1}, nodes), all: 1}
	for _, set := range sets {
		for part := range slices.Chunk(set, maxSet) {
			for i, n := range part {
				y.place[n] = len(y.members)
				y.members = append(y.members, n)
				y.all *= i + 1
			}
			y.ends = append(y.ends, len(y.members))
			if len(part) > 1 {
				y.sets = append(y.sets, part)
			}
		}
	}
	for n := range nodes {
		y.renaming.Name = append(y.renaming.Name, sim.NodeID(n))
	}
	y.renaming.Node = slices.Clone(y.renaming.Name)
	y.signs, y.named, y.order = make([]sim.Digest, len(y.members)), make([]bool, len(y.members)), make([]int, len(y.members))
	return y
}

// of is the fingerprint of a state up to the order of the members, and how many states differ from it
// only in that. own is what the past says of each.
func (y *symmetry) of(p *sim.Parts, s sim.State, own []sim.Digest) (key sim.Digest, states int) {
	p.Sketch(s, &y.sketch)
	for i, n := range y.members {
		y.signs[i], y.named[i] = y.sketch.Sign(n, y.isMember)
		y.signs[i] = y.signs[i].Fold(own[i])
		y.order[i] = i
	}
	first := 0
	for _, end := range y.ends {
		slices.SortFunc(y.order[first:end], func(a, b int) int { return y.signs[a].Compare(y.signs[b]) })
		first = end
	}
	y.equal = 0
	y.arrange(0, 1, own)
	return y.least, y.all / y.equal
}

func (y *symmetry) isMember(n sim.NodeID) bool { return y.place[n] >= 0 }

// arrange tries each order of the members from place i on in which the signs rise. States that
// differ only in who is who have the same signs, in another order: the least fingerprint of these
// orders is the same for all of them. orders is for how many the tried one stands.
func (y *symmetry) arrange(i, orders int, own []sim.Digest) {
	if i == len(y.order) {
		y.try(orders, own)
		return
	}
	last := i + 1
	for last < y.end(i) && y.signs[y.order[last]] == y.signs[y.order[i]] {
		last++
	}
	if !y.named[y.order[i]] {
		// Those that nothing names can swap their places, and nothing changes.
		y.arrange(i+1, orders*(last-i), own)
		return
	}
	for j := i; j < last; j++ {
		y.order[i], y.order[j] = y.order[j], y.order[i]
		y.arrange(i+1, orders, own)
		y.order[i], y.order[j] = y.order[j], y.order[i]
	}
}

// end is where the set ends to which place i belongs.
func (y *symmetry) end(i int) int {
	at := slices.IndexFunc(y.ends, func(end int) bool { return i < end })
	return y.ends[at]
}

// try compares the fingerprint with the members in this order, in which they go by each other's
// names.
func (y *symmetry) try(orders int, own []sim.Digest) {
	for i, m := range y.order {
		name, node := y.members[i], y.members[m]
		y.renaming.Name[node], y.renaming.Node[name] = name, node
	}
	key := y.sketch.Digest(&y.renaming)
	for _, m := range y.order {
		key = key.Fold(own[m])
	}
	switch {
	case y.equal == 0 || key.Compare(y.least) < 0:
		y.least, y.equal = key, orders
	case key == y.least:
		y.equal += orders
	}
}
