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
	pairs := until(fails, passes, aligned(fails.trace, passes.trace))
	b := &beside{Difference: nearest.Difference}
	nodes := tellers(fails)
	for _, p := range pairs {
		same := p.both() && alike(fails, passes, p)
		if same && len(b.Rows) == 0 {
			b.Same++
			continue
		}
		matters := p.fails >= 0 && around[p.fails] || p.passes >= 0 && !same && passes.tells(p.passes, nodes)
		if !matters {
			continue
		}
		if len(b.Rows) == maxBeside {
			b.More++
			continue
		}
		b.Rows = append(b.Rows, besideRow{fails.side(p.fails, !same), passes.side(p.passes, !same)})
	}
	return b, nil
}

// until leaves out what follows on the last step of the failing run. If the step that
// shows the violation has no counterpart, the passing run goes on until the same node
// says something.
func until(fails, passes *steps, pairs []pair) []pair {
	last := 0
	counterpart := fails.wrong < 0
	for i, p := range pairs {
		if p.fails >= 0 {
			last = i
		}
		counterpart = counterpart || p.fails == fails.wrong && p.passes >= 0
	}
	for i := last + 1; i < len(pairs) && !counterpart; i++ {
		s := &passes.trace.Steps[pairs[i].passes]
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

// alike reports whether the same comes of a step in both runs.
func alike(a, b *steps, p pair) bool {
	same := func(x, y trace.Note) bool { return x.Node == y.Node && x.Text == y.Text }
	return slices.EqualFunc(a.trace.Steps[p.fails].Notes, b.trace.Steps[p.passes].Notes, same)
}

// pair is a step of each of two runs; -1 is none.
type pair struct{ fails, passes int }

func (p pair) both() bool { return p.fails >= 0 && p.passes >= 0 }

// maxAligned is how many steps of each run are compared with all of the other one. What
// follows stays without a counterpart.
const maxAligned = 2_000

// aligned puts the steps of two runs beside each other that have the same name: as many
// as that is possible for in order (a longest common subsequence).
func aligned(a, b *trace.Trace) []pair {
	begin := 0
	for begin < len(a.Steps) && begin < len(b.Steps) && a.Steps[begin].Name == b.Steps[begin].Name {
		begin++
	}
	n, m := min(len(a.Steps)-begin, maxAligned), min(len(b.Steps)-begin, maxAligned)
	// common[i][j] is how many are the same from i and j on.
	common := make([][]int32, n+1)
	for i := range common {
		common[i] = make([]int32, m+1)
	}
	same := func(i, j int) bool { return a.Steps[begin+i].Name == b.Steps[begin+j].Name }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if same(i, j) {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var pairs []pair
	for i := range begin {
		pairs = append(pairs, pair{i, i})
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && same(i, j):
			pairs = append(pairs, pair{begin + i, begin + j})
			i, j = i+1, j+1
		case j == m || i < n && common[i+1][j] >= common[i][j+1]:
			pairs = append(pairs, pair{begin + i, -1})
			i++
		default:
			pairs = append(pairs, pair{-1, begin + j})
			j++
		}
	}
	return pairs
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
