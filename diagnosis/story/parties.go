package story

import "github.com/watchbed/watchbed/sim"

// parties are the names of the nodes that play a part.
type parties map[string]bool

// parties are the nodes of the steps that are marked in one of these parts of the run.
// Other nodes may go through the same revision: another API server takes in the same
// event.
func (r *Run) parties(parts ...[]bool) parties {
	p := parties{}
	for _, part := range parts {
		for i, in := range part {
			if in {
				p[r.Trace.Nodes[r.Trace.Steps[i].Node]] = true
			}
		}
	}
	return p
}

// concern reports whether the note of a node concerns nodes that play a part alone:
// that one and the client whose watch it is about.
func (p parties) concern(node string, n sim.Note) bool {
	s, ok := n.(sim.Subject)
	return p[node] && (!ok || s.About().Client == "" || p[s.About().Client])
}
