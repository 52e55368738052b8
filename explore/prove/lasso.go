package prove

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// knot is a set of states that lead to each other and in which one thing stays open, such
// that a schedule can stay inside it for ever and give each thread its turn.
type knot struct {
	// entry is the state of the knot that was found first.
	entry  uint32
	inside map[uint32]bool
}

// knot is the one with the first entry, nil if there is none.
func (g *graph) knot() *knot {
	var all uint64
	for i := range g.states {
		all |= g.states[i].open
	}
	var first *knot
	for rest := all; rest != 0; rest &= rest - 1 {
		bit := uint64(1) << bits.TrailingZeros64(rest)
		var states []uint32
		for s := range g.states {
			if g.states[s].open&bit != 0 {
				states = append(states, uint32(s))
			}
		}
		for parts := [][]uint32{states}; len(parts) > 0; {
			part := parts[len(parts)-1]
			parts = parts[:len(parts)-1]
			for _, members := range components(g, part) {
				k := newKnot(members)
				left := g.fairPart(k)
				switch {
				case len(left) < len(members):
					parts = append(parts, left)
				case len(left) > 0 && (first == nil || k.entry < first.entry):
					first = k
				}
			}
		}
	}
	return first
}

func newKnot(members []uint32) *knot {
	k := &knot{entry: members[0], inside: map[uint32]bool{}}
	for _, m := range members {
		k.inside[m] = true
		k.entry = min(k.entry, m)
	}
	return k
}

// fairPart are the states of a component in which a fair schedule can stay inside it: not those
// in which a thread is enabled that no step inside takes. The schedule would have to take it,
// or to avoid these states (Emerson and Lei 1987). It is in the order of the states.
func (g *graph) fairPart(k *knot) []uint32 {
	taken := map[thread]bool{}
	steps := false
	for s := range k.inside {
		for _, e := range g.states[s].edges {
			if k.inside[e.to] {
				taken[e.thread], steps = true, true
			}
		}
	}
	var left []uint32
	for s := range k.inside {
		enabled := g.states[s].threads()
		if !slices.ContainsFunc(enabled, func(t thread) bool { return !taken[t] }) && (steps || len(enabled) == 0) {
			left = append(left, s)
		}
	}
	slices.Sort(left)
	return left
}

// lasso makes the schedule that leads to a knot and once around in it, such that each thread
// has a turn. loop is the length of the way around.
func (w *worker) lasso(g *graph, k *knot) (path *Path, loop int, err error) {
	entry, err := w.goTo(k.entry)
	if err != nil {
		return nil, 0, err
	}
	l := &looper{worker: w, graph: g, knot: k, at: k.entry, here: entry.copied(k.entry), taken: map[thread]bool{}}
	for {
		way := l.way(func(e edge) bool { return e.thread != 0 && !l.taken[e.thread] })
		if way == nil {
			break
		}
		if err := l.take(way); err != nil {
			return nil, 0, err
		}
	}
	for l.at != k.entry {
		if err := l.take(l.way(func(e edge) bool { return e.to == k.entry })); err != nil {
			return nil, 0, err
		}
	}
	stem, err := w.tree.path(k.entry)
	return &Path{steps: append(stem, l.steps...), most: w.bounds.Answers}, len(l.steps), err
}

// looper goes around in a knot.
type looper struct {
	worker *worker
	graph  *graph
	knot   *knot
	at     uint32
	here   place
	steps  []step
	// taken are the threads that have had a turn.
	taken map[thread]bool
}

// way is a shortest way inside the knot from where the looper is, up to and with the first
// step that will do.
func (l *looper) way(will func(e edge) bool) []edge {
	type hop struct {
		before int
		edge   edge
	}
	hops, seen := []hop{{-1, edge{to: l.at}}}, map[uint32]bool{l.at: true}
	for i := 0; i < len(hops); i++ {
		from := hops[i].edge.to
		for _, e := range l.graph.states[from].edges {
			if !l.knot.inside[e.to] {
				continue
			}
			if will(e) {
				way := []edge{e}
				for ; hops[i].before >= 0; i = hops[i].before {
					way = append(way, hops[i].edge)
				}
				slices.Reverse(way)
				return way
			}
			if !seen[e.to] {
				seen[e.to] = true
				hops = append(hops, hop{i, e})
			}
		}
	}
	return nil
}

var errNoWay = errors.New("internal error: a loop that was found cannot be gone around; please report this with the command")

// take goes a way.
func (l *looper) take(way []edge) error {
	if way == nil {
		return errNoWay
	}
	for _, e := range way {
		if err := l.hop(e); err != nil {
			return err
		}
	}
	return nil
}

// hop takes a step of this thread to this state. The worlds of a state number what can
// happen in different ways, so the step is looked for.
func (l *looper) hop(e edge) error {
	w := l.worker
	w.enter(&l.here)
	for i, a := range w.enabled() {
		if threadOf(w.world(), a) != e.thread {
			continue
		}
		given := explore.Combination{Most: w.bounds.Answers}
		for more := true; more; more = given.Next() {
			next := w.take(a, &given)
			if w.key(&next, w.worldThere) != l.graph.keys[e.to] {
				continue
			}
			taken, err := newStep(i, &given)
			if err != nil {
				return err
			}
			l.steps = append(l.steps, taken)
			l.at, l.here, l.taken[e.thread] = e.to, next.copied(e.to), true
			return nil
		}
	}
	return errNoWay
}

// components are the components of these states, with the steps between them (Tarjan 1972, without recursion: a path
// may be as long as the search is deep).
func components(g *graph, states []uint32) [][]uint32 {
	t := tarjan{graph: g, inside: map[uint32]bool{}, low: map[uint32]uint32{}, left: map[uint32]bool{}}
	for _, s := range states {
		t.inside[s] = true
	}
	for _, s := range states {
		if t.low[s] == 0 {
			t.walk(s)
		}
	}
	return t.found
}

type tarjan struct {
	graph  *graph
	inside map[uint32]bool
	// low is, by state, the least number of a visit that it leads back to; 0 was not visited.
	low map[uint32]uint32
	// left are the states whose component is known.
	left   map[uint32]bool
	visits uint32
	open   []uint32
	found  [][]uint32
}

// frame is a state on the path of a walk, with its own visit and the next edge to look at.
type frame struct {
	state, visit uint32
	next         int
}

func (t *tarjan) enter(s uint32) frame {
	t.visits++
	t.low[s] = t.visits
	t.open = append(t.open, s)
	return frame{state: s, visit: t.visits}
}

func (t *tarjan) walk(from uint32) {
	path := []frame{t.enter(from)}
	for len(path) > 0 {
		f := &path[len(path)-1]
		if edges := t.graph.states[f.state].edges; f.next < len(edges) {
			to := edges[f.next].to
			f.next++
			switch {
			case !t.inside[to] || t.left[to]:
			case t.low[to] == 0:
				path = append(path, t.enter(to))
			default:
				t.low[f.state] = min(t.low[f.state], t.low[to])
			}
			continue
		}
		if t.low[f.state] == f.visit {
			t.leave(f.state)
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			above := path[len(path)-1].state
			if !t.left[f.state] {
				t.low[above] = min(t.low[above], t.low[f.state])
			}
		}
	}
}

// leave ends the component whose first visited state this is.
func (t *tarjan) leave(s uint32) {
	i := len(t.open) - 1
	for ; t.open[i] != s; i-- {
	}
	members := append([]uint32(nil), t.open[i:]...)
	t.open = t.open[:i]
	for _, m := range members {
		t.left[m] = true
	}
	t.found = append(t.found, members)
}

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
