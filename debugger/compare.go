package debugger

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/diagnosis/trace"
)

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
