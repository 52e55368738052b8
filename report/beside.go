package report

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/trace"
)

// beside is the failing run beside the nearest one that passes, from where the two part.
type beside struct {
	Difference string
	// Same is how many steps both begin with.
	Same int
	Rows []besideRow
	// More is how many rows are not shown.
	More int
}

// besideRow has a step of each run. Each of the two may be missing.
type besideRow struct{ Fails, Passes *besideStep }

type besideStep struct {
	stepRow
	// Only: the other run has no such step, or other things come of it.
	Only bool
}

// maxBeside is how many rows are shown.
const maxBeside = 60

// besideOf compares the run with the nearest one that passes. It is nil if there is
// none.
func besideOf(d *diagnosis.Diagnosis, fails *steps, around map[int]bool) (*beside, error) {
	nearest, err := d.Nearest()
	if err != nil || nearest == nil {
		return nil, err
	}
	held, err := trace.StatesOf(d.Scenario(), nearest.Recording)
	if err != nil {
		return nil, err
	}
	passes := &steps{states: held, trace: held.Trace, clients: fails.clients, missed: fails.missed, wrong: -1, missing: -1}
	pairs := until(fails, passes, trace.Align(fails.trace, passes.trace))
	b := &beside{Difference: nearest.Difference}
	nodes := tellers(fails)
	for _, p := range pairs {
		same := p.Alike(fails.trace, passes.trace)
		if same && len(b.Rows) == 0 {
			b.Same++
			continue
		}
		matters := p.A >= 0 && around[p.A] || p.B >= 0 && !same && passes.tells(p.B, nodes)
		if !matters {
			continue
		}
		if len(b.Rows) == maxBeside {
			b.More++
			continue
		}
		b.Rows = append(b.Rows, besideRow{fails.side(p.A, !same), passes.side(p.B, !same)})
	}
	return b, nil
}

// until leaves out what follows on the last step of the failing run. If the step that
// shows the violation has no counterpart, the passing run goes on until the same node
// says something.
func until(fails, passes *steps, pairs []trace.Pair) []trace.Pair {
	last := 0
	counterpart := fails.wrong < 0
	for i, p := range pairs {
		if p.A >= 0 {
			last = i
		}
		counterpart = counterpart || p.A == fails.wrong && p.B >= 0
	}
	for i := last + 1; i < len(pairs) && !counterpart; i++ {
		s := &passes.trace.Steps[pairs[i].B]
		if s.Node == fails.trace.Steps[fails.wrong].Node && len(s.Notes) > 0 {
			last, counterpart = i, true
		}
	}
	return pairs[:min(last+1, len(pairs))]
}

// tellers are the nodes that the story tells of.
func tellers(d *steps) map[string]bool {
	nodes := map[string]bool{}
	for _, lines := range d.told {
		for _, l := range lines {
			nodes[l.Node] = true
		}
	}
	return nodes
}

// tells reports whether one of these nodes says something in a step.
func (d *steps) tells(step int, nodes map[string]bool) bool {
	return slices.ContainsFunc(d.trace.Steps[step].Notes, func(n trace.Note) bool { return nodes[d.trace.Nodes[n.Node]] })
}

// side is one half of a row, with what the step changed; nil if the run has no such
// step. All that the nodes say is told.
func (d *steps) side(step int, only bool) *besideStep {
	if step < 0 {
		return nil
	}
	s := &besideStep{d.row(step), only}
	s.Says = nil
	for _, n := range d.trace.Steps[step].Notes {
		s.Says = append(s.Says, saying{d.trace.Nodes[n.Node], n.Text})
	}
	s.Holds = changed(d.holds(step, step-1))
	return s
}

// leastFolded is how many steps in a row have to be quiet to be folded.
const leastFolded = 4

// fold makes a table of many steps shorter: beside each step is what it changes and
// what holds the change that is missed, and successive steps of which nothing is told
// and that change nothing share a row.
func (t *stepTable) fold() {
	var rows []stepRow
	for i := 0; i < len(t.Rows); {
		n := 0
		for i+n < len(t.Rows) && t.Rows[i+n].quiet() {
			n++
		}
		if n >= leastFolded {
			rows = append(rows, foldedRow(t.Rows[i:i+n]))
			i += n
			continue
		}
		row := t.Rows[i]
		row.Holds = telling(row.Holds)
		rows = append(rows, row)
		i++
	}
	t.Rows, t.Brief = rows, true
}

// quiet reports whether nothing is told of the step and it changes nothing that is
// shown.
func (r *stepRow) quiet() bool { return strings.TrimSpace(r.Class) == "" && len(changed(r.Holds)) == 0 }

func foldedRow(rows []stepRow) stepRow {
	r := stepRow{When: rows[0].When, Class: "gap", Count: Counted(uint64(len(rows)), "step")}
	for _, x := range rows {
		r.Quiet = append(r.Quiet, quietStep{x.When, x.Node, x.How})
	}
	return r
}

// telling are the parts that a step changed, and those that hold the change that is
// missed or say that it is not missing.
func telling(nodes []nodeState) []nodeState {
	return partsOf(nodes, func(p *partState) bool {
		return p.Changed || slices.ContainsFunc(p.Entries, func(e heldEntry) bool { return e.Holds || e.Claims })
	})
}
