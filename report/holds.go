package report

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// nodeState is what one node holds after a step.
type nodeState struct {
	Node  string
	Parts []partState
}

// partState is a part that is not empty, or that a step has emptied.
type partState struct {
	Name    string
	Changed bool
	Entries []heldEntry
	// More is the number of entries that are not listed.
	More int
}

// heldEntry is an entry of a part. New: it was not there before. Holds: it is the
// missed change, or waits for it. Claims: it says that the change is not missing.
type heldEntry struct {
	Text               string
	New, Holds, Claims bool
	// Times is how many the same follow on each other.
	Times int
}

// maxEntries is how many entries of one part are listed beside a step.
const maxEntries = 8

// holds is what the nodes hold after a step; what changed since the step before is
// marked. Before is -1 at the start of the run.
func (d *steps) holds(step, before int) []nodeState {
	var nodes []nodeState
	last := sim.NodeID(0)
	for part, p := range d.states.Parts {
		if p.Node != last {
			nodes = append(nodes, nodeState{Node: d.trace.Nodes[p.Node]})
			last = p.Node
		}
		x := partState{Name: p.Name, Changed: d.states.Changed(before, step, part)}
		held := d.states.After(step, part)
		if len(held) == 0 && !x.Changed {
			continue
		}
		for i, e := range held {
			h := heldEntry{Text: e.Text, New: d.states.New(before, part, e), Holds: e.Holds(d.missed), Claims: e.Claims(d.missed), Times: 1}
			if last := len(x.Entries) - 1; last >= 0 && held[i-1] == e {
				x.Entries[last].Times++
				continue
			}
			if len(x.Entries) == maxEntries {
				x.More = len(held) - i
				break
			}
			x.Entries = append(x.Entries, h)
		}
		n := &nodes[len(nodes)-1]
		n.Parts = append(n.Parts, x)
	}
	return nodes
}

// changed are the parts that a step changed.
func changed(nodes []nodeState) []nodeState {
	return partsOf(nodes, func(p *partState) bool { return p.Changed })
}

// partsOf are the parts that are kept, and the nodes that have one of them.
func partsOf(nodes []nodeState, keep func(*partState) bool) []nodeState {
	var list []nodeState
	for _, n := range nodes {
		var parts []partState
		for i := range n.Parts {
			if keep(&n.Parts[i]) {
				parts = append(parts, n.Parts[i])
			}
		}
		if len(parts) > 0 {
			list = append(list, nodeState{n.Node, parts})
		}
	}
	return list
}

// inUse leaves out the nodes that hold nothing in any row, and those that have no lane
// and are not etcd.
func inUse(rows []stepRow, lanes []string, etcd map[string]bool) {
	use := map[string]bool{}
	for _, r := range rows {
		for _, n := range r.Holds {
			if len(n.Parts) > 0 && (etcd[n.Node] || slices.Contains(lanes, n.Node)) {
				use[n.Node] = true
			}
		}
	}
	for i := range rows {
		rows[i].Holds = slices.DeleteFunc(rows[i].Holds, func(n nodeState) bool { return !use[n.Node] })
	}
}
