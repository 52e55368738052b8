package prove

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
