package prove

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// graph has the steps between those states in which the goal is open. It is kept only for a
// subject that has one.
type graph struct {
	// keys are those of the states, by their numbers. places is the other way round, a table with
	// open addressing: the number of a state and 1 more, or 0.
	keys   []key
	places []uint32
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
	g := &graph{places: make([]uint32, leastPlaces)}
	g.found(first)
	return g
}

// found numbers a state.
func (g *graph) found(k key) {
	if n := len(g.keys) + 1; 4*n > 3*len(g.places) {
		g.places = make([]uint32, 2*len(g.places))
		for i, k := range g.keys {
			g.places[g.place(k)] = uint32(i) + 1
		}
	}
	i := g.place(k)
	g.keys = append(g.keys, k)
	g.places[i] = uint32(len(g.keys))
}

// place is where the number of a state is, or an empty place for it.
func (g *graph) place(k key) int {
	mask := len(g.places) - 1
	i := int(k>>1) & mask
	for g.places[i] != 0 && g.keys[g.places[i]-1] != k {
		i = (i + 1) & mask
	}
	return i
}

// expand takes in what a chunk has expanded, after all states were numbered to which it led.
func (g *graph) expand(c *chunk) {
	led := c.led
	for i := range c.expanded {
		edges := c.expanded[i].edges
		g.edges += len(edges)
		for j := range edges {
			edges[j].to = g.places[g.place(led[0])] - 1
			led = led[1:]
		}
	}
	g.states = append(g.states, c.expanded...)
}

// What the parts of a graph take: an expanded state, and an edge.
const (
	expandedBytes = 56
	edgeBytes     = 16
)

// bytes is about how much memory the graph takes.
func (g *graph) bytes() int {
	return 4*len(g.places) + keyBytes*cap(g.keys) + expandedBytes*cap(g.states) + edgeBytes*g.edges
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
