package prove

import (
	"slices"

	"github.com/watchbed/watchbed/explore/fair"
	"github.com/watchbed/watchbed/sim"
)

// graph has the steps between those states in which the goal is open. It is kept only for a
// subject that has one.
type graph struct {
	// numbers are those of the states, by their fingerprints, and keys the other way round.
	numbers map[uint64]uint32
	keys    []uint64
	// states are those that were expanded, in their order; edges is how many they have.
	states []expanded
	edges  int
}

// expanded is a state whose successors are known.
type expanded struct {
	// open is what is open in it (Goal.Open).
	open  uint64
	edges []edge
	// kept are the threads that a bound keeps from a step which they are owed.
	kept []thread
}

// edge is a step out of a state. The search notes where it leads by fingerprint; the graph
// has numbers.
type edge struct {
	key    uint64
	to     uint32
	thread thread
}

// thread is what fairness owes a turn: a loop, a timer, or what is under way from one node to
// another. 0 is owed none. World numbers are not the same in two worlds of one state.
type thread uint64

func threadOf(w *sim.World, a sim.Action) thread {
	if !fair.IsOwed(w, a) {
		return 0
	}
	t := thread(a.Kind)<<56 | thread(a.Node)<<40
	if m := w.Pending(a); m != nil {
		return t | thread(m.From)
	}
	return t | thread(w.TimerOf(a))
}

func newGraph(first uint64) *graph {
	g := &graph{numbers: map[uint64]uint32{}}
	g.found(first)
	return g
}

// found numbers a state.
func (g *graph) found(key uint64) {
	key = nonzero(key)
	g.numbers[key] = uint32(len(g.keys))
	g.keys = append(g.keys, key)
}

// expand takes in what a chunk has expanded, after all states were numbered to which it led.
func (g *graph) expand(states []expanded) {
	for i := range states {
		g.edges += len(states[i].edges)
		for j := range states[i].edges {
			e := &states[i].edges[j]
			e.to = g.numbers[nonzero(e.key)]
		}
	}
	g.states = append(g.states, states...)
}

// What the parts of a graph take: a state in the map of numbers with its key and free places,
// an expanded state, and an edge.
const (
	numberBytes   = 24
	expandedBytes = 56
	edgeBytes     = 24
)

// bytes is about how much memory the graph takes.
func (g *graph) bytes() int {
	return numberBytes*len(g.numbers) + 8*cap(g.keys) + expandedBytes*cap(g.states) + edgeBytes*g.edges
}

// threads are those that are owed a turn in this state, bounds aside.
func (s *expanded) threads() []thread {
	list := slices.Clone(s.kept)
	for _, e := range s.edges {
		if e.thread != 0 && !slices.Contains(list, e.thread) {
			list = append(list, e.thread)
		}
	}
	return list
}

// keep notes a thread that a bound keeps from its step.
func (c *chunk) keep(t thread) {
	s := &c.expanded[len(c.expanded)-1]
	if s.open != 0 && t != 0 {
		s.kept = append(s.kept, t)
	}
}

// lead notes where a step of the state that is being expanded leads, and what is open there.
func (c *chunk) lead(t thread, key, open uint64) {
	s := &c.expanded[len(c.expanded)-1]
	if s.open == 0 {
		return
	}
	s.edges = append(s.edges, edge{key: key, thread: t})
	if s.open&^open != 0 {
		c.reached++
	}
}
