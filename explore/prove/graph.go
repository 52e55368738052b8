package prove

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// graph has the steps between those states in which the liveness property is open. It is kept only for a
// subject that has one.
type graph struct {
	// keys are those of the states, by their numbers, numbers the other way round.
	keys    []key
	numbers map[key]uint32
	// states are the expanded states, in their order; edges is how many edges they have.
	states []expanded
	edges  int
}

// expanded is a state whose successors are known.
type expanded struct {
	// open is what is open in it (Liveness.Open).
	open  uint64
	edges []edge
	// kept are the threads that a bound keeps from a step which they are owed.
	kept []thread
}

// edge is a step out of a state. Where it leads a chunk notes by key (chunk.led); the graph has
// numbers.
type edge struct {
	to     uint32
	thread thread
}

// thread is what fairness owes a turn: a loop, a timer, or what is under way from one node to
// another. 0 is owed none. World numbers are not the same in two worlds of one state.
type thread uint64

func threadOf(w *sim.World, a sim.Action) thread {
	if !explore.IsOwed(w, a) {
		return 0
	}
	t := thread(a.Kind)<<56 | thread(a.Node)<<40
	if m := w.Pending(a); m != nil {
		return t | thread(m.From)
	}
	return t | thread(w.TimerOf(a))
}

func newGraph(first key) *graph {
	g := &graph{numbers: map[key]uint32{}}
	g.found(first)
	return g
}

// found numbers a state.
func (g *graph) found(k key) {
	g.numbers[k] = uint32(len(g.keys))
	g.keys = append(g.keys, k)
}

// expand takes in what a chunk has expanded, after all states were numbered to which it led.
func (g *graph) expand(c *chunk) {
	led := c.led
	for i := range c.expanded {
		edges := c.expanded[i].edges
		g.edges += len(edges)
		for j := range edges {
			edges[j].to = g.numbers[led[0]]
			led = led[1:]
		}
	}
	g.states = append(g.states, c.expanded...)
}

// What the parts of a graph take: a key with its number, for which a map has about twice the room, an expanded state,
// and an edge.
const (
	numberBytes   = keyBytes + 2*(keyBytes+8)
	expandedBytes = 56
	edgeBytes     = 16
)

// bytes is about how much memory the graph takes.
func (g *graph) bytes() int {
	return numberBytes*len(g.keys) + expandedBytes*cap(g.states) + edgeBytes*g.edges
}

// threads are the threads that are owed a turn in this state, bounds aside.
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
func (c *chunk) lead(t thread, k key, open uint64) {
	s := &c.expanded[len(c.expanded)-1]
	if s.open == 0 {
		return
	}
	s.edges, c.led = append(s.edges, edge{thread: t}), append(c.led, k)
	if s.open&^open != 0 {
		c.reached++
	}
}
