package simtest

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// compare looks for cells that the step under way has changed without saying so.
func (s *Swapper) compare(after *sim.World) {
	before, last := s.start[1], &s.step[1]
	if last.cells.All {
		return
	}
	for n := sim.NodeID(1); int(n) < after.Nodes(); n++ {
		was, ok := before.Node(n).(sim.Celled)
		if !ok {
			continue
		}
		for _, c := range changed(n, was, after.Node(n).(sim.Celled)) {
			s.Changed++
			if !last.writes(c) {
				s.Wrong = append(s.Wrong, fmt.Sprintf("%q changes %s %d of %s and does not declare it", last.name, c.Kind, c.Index, after.NodeName(n)))
			}
		}
	}
}

func (st *step) writes(c sim.Cell) bool {
	return slices.ContainsFunc(st.cells.Accesses, func(a sim.Access) bool { return a.Write && a.Cell.Same(c) })
}

// changed lists the cells in which two states of one node differ, in a fixed
// order.
func changed(n sim.NodeID, before, after sim.Celled) []sim.Cell {
	a, b := contents(n, before), contents(n, after)
	var list []sim.Cell
	for c, digest := range a {
		if b[c] != digest {
			list = append(list, c)
		}
	}
	for c := range b {
		if _, was := a[c]; !was {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(c, d sim.Cell) int {
		return (int(c.Kind)-int(d.Kind))<<32 + int(c.Index) - int(d.Index)
	})
	return list
}

func contents(n sim.NodeID, node sim.Celled) map[sim.Cell]sim.Digest {
	all := map[sim.Cell]sim.Digest{}
	node.Cells(func(k sim.CellKind, index int, contents sim.Digest) {
		all[sim.Cell{Kind: k, Node: n, Index: int32(index)}] = contents
	})
	return all
}
