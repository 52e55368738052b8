package prove

import "math/bits"

// knot is a set of states that lead to each other and in which one thing stays open, such
// that a schedule can stay inside it for ever and give each thread its turn.
type knot struct {
	// entry is the state of the knot that was found first.
	entry  uint32
	bit    uint64
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
		for _, members := range g.components(bit) {
			k := &knot{entry: members[0], bit: bit, inside: map[uint32]bool{}}
			for _, m := range members {
				k.inside[m] = true
				k.entry = min(k.entry, m)
			}
			if (first == nil || k.entry < first.entry) && g.isFair(k) {
				first = k
			}
		}
	}
	return first
}

// isFair reports whether a schedule that stays inside can be fair: it can take a step of each
// thread that is enabled in all states. In one state without steps inside nothing is owed.
func (g *graph) isFair(k *knot) bool {
	always, taken := map[thread]int{}, map[thread]bool{}
	for s := range k.inside {
		enabled := map[thread]bool{}
		for _, t := range g.states[s].kept {
			enabled[t] = true
		}
		for _, e := range g.states[s].edges {
			if e.thread == 0 {
				continue
			}
			if enabled[e.thread] = true; k.inside[e.to] {
				taken[e.thread] = true
			}
		}
		for t := range enabled {
			always[t]++
		}
	}
	for t, n := range always {
		if n == len(k.inside) && !taken[t] {
			return false
		}
	}
	return len(taken) > 0 || len(always) == 0
}

// components are the strongly connected components of the states in which a bit is open
// (Tarjan 1972, without recursion: a path may be as long as the search is deep).
func (g *graph) components(bit uint64) [][]uint32 {
	t := tarjan{graph: g, bit: bit, low: make([]uint32, len(g.states)), left: make([]bool, len(g.states))}
	for s := range g.states {
		if g.stays(uint32(s), bit) && t.low[s] == 0 {
			t.walk(uint32(s))
		}
	}
	return t.found
}

type tarjan struct {
	graph *graph
	bit   uint64
	// low is, by state, the least number of a visit that it leads back to; 0 was not visited.
	low []uint32
	// left are the states whose component is known.
	left   []bool
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
			case !t.graph.stays(to, t.bit) || t.left[to]:
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
