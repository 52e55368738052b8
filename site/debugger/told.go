package debugger

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/diagnosis/trace"
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

// Comparison is a run beside another one. Rows are the steps of the two, -1 for none; the two of a row have the same name,
// which a message has from its cause. First is the first row whose steps are not the same, or of which not the same comes;
// it is the number of rows if there is none.
type Comparison struct {
	// Text says in how many steps the two differ, and Options in which options, as the other run has them.
	Text    string   `json:"text"`
	Options []string `json:"options"`
	First   int      `json:"first"`
	Rows    []Row    `json:"rows"`
}

// Row has a step of each run. Same: the same comes of it in both. Texts are what the two are; a page has them already.
type Row struct {
	Steps [2]int   `json:"steps"`
	Same  bool     `json:"same"`
	Texts []string `json:"texts,omitempty"`
}

// maxRows is how many rows are told in brief, from the first that differs.
const maxRows = 100

// compare aligns the run with the other one.
func (d *Debugger) compare(q *Question) (*Comparison, error) {
	r, err := d.open(q.Link)
	if err != nil {
		return nil, err
	}
	other, err := d.open(q.Other)
	if err != nil {
		return nil, fmt.Errorf("the other run: %w", err)
	}
	if r.scenario != other.scenario {
		return nil, fmt.Errorf("one run is of %s, the other of %s: only runs of one scenario are compared", r.scenario.Name, other.scenario.Name)
	}
	c := &Comparison{Options: []string{}}
	was := r.params.Expand()
	for _, s := range other.params.Expand() {
		if !slices.Contains(was, s) {
			c.Options = append(c.Options, s.String())
		}
	}
	a, b, here, there := r.held.Trace, other.held.Trace, 0, 0
	for _, p := range trace.Align(a, b) {
		c.Rows = append(c.Rows, Row{Steps: [2]int{p.A, p.B}, Same: p.Alike(a, b)})
		if p.B < 0 {
			here++
		}
		if p.A < 0 {
			there++
		}
	}
	if c.First = slices.IndexFunc(c.Rows, func(x Row) bool { return !x.Same }); c.First < 0 {
		c.First = len(c.Rows)
	}
	c.Text = fmt.Sprintf("The first %d steps are the same; later %d steps are in both runs, %d only in this one, %d only in the other.",
		c.First, len(c.Rows)-c.First-here-there, here, there)
	if d.Brief {
		c.Rows = c.Rows[c.First:min(len(c.Rows), c.First+maxRows)]
		for i := range c.Rows {
			x := &c.Rows[i]
			for side, of := range []*run{r, other} {
				text := ""
				if step := x.Steps[side]; step >= 0 {
					text = of.held.Trace.Nodes[of.held.Trace.Steps[step].Node] + ": " + of.sentence(step)
				}
				x.Texts = append(x.Texts, text)
			}
		}
	}
	return c, nil
}
