package debugger

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
)

// Story is a run in few words.
type Story struct {
	Link     string `json:"link"`
	Scenario string `json:"scenario"`
	// Changed are the options that are others than in the scenario.
	Changed []string `json:"changed"`
	// Length is how many steps the run has.
	Length   int       `json:"length"`
	Verdicts []Verdict `json:"verdicts"`
	// Title, Why and Lines tell the violation; they are empty if nothing is violated.
	Title string `json:"title"`
	Why   string `json:"why"`
	Lines []Line `json:"lines"`
}

func (r *run) story() *Story {
	s := &Story{
		Link: r.link, Scenario: r.scenario.Name, Changed: texts(r.params.Changed(&r.scenario.Params)), Length: len(r.held.Trace.Steps),
		Verdicts: verdicts(r.rec.Findings), Lines: []Line{},
	}
	if r.told != nil {
		s.Title, s.Why = r.told.Story.Title, r.told.Story.Why
		for _, l := range r.told.Story.Lines {
			s.Lines = append(s.Lines, Line{l.Step - 1, l.Node, l.Text})
		}
	}
	return s
}

// maxTold is how many steps one question is told.
const maxTold = 200

// steps tells so many steps, from one on.
func (r *run) steps(from int, count uint64) ([]Line, error) {
	if err := r.has(from); err != nil {
		return nil, err
	}
	if count == 0 || count > maxTold {
		return nil, fmt.Errorf("steps: count is %d; it may be 1 to %d", count, maxTold)
	}
	t, lines := r.held.Trace, []Line{}
	for i := from; i < min(len(t.Steps), from+int(count)); i++ {
		lines = append(lines, Line{i, t.Nodes[t.Steps[i].Node], r.sentence(i)})
	}
	return lines, nil
}

// Node is what a node holds, by the names of the parts of its state. Changed are the parts that the step changed.
type Node struct {
	Node    string              `json:"node"`
	Parts   map[string][]string `json:"parts"`
	Changed []string            `json:"changed,omitempty"`
}

// state is what the nodes hold after a step.
func (r *run) state(step int) ([]*Node, error) {
	if err := r.has(step); err != nil {
		return nil, err
	}
	nodes, last := []*Node{}, sim.NodeID(0)
	for part, p := range r.held.Parts {
		if p.Node != last {
			nodes, last = append(nodes, &Node{Node: r.held.Trace.Nodes[p.Node], Parts: map[string][]string{}}), p.Node
		}
		n, entries := nodes[len(nodes)-1], []string{}
		for _, e := range r.held.After(step, part) {
			entries = append(entries, e.Text)
		}
		n.Parts[p.Name] = entries
		if r.held.Changed(step-1, step, part) {
			n.Changed = append(n.Changed, p.Name)
		}
	}
	return nodes, nil
}
