package report

import (
	"strconv"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
)

// steps draws the steps of one run as rows: what happens, and what the nodes hold
// after it.
type steps struct {
	states *trace.States
	trace  *trace.Trace
	// clients are the nodes whose timers mean that they ask.
	clients map[sim.NodeID]bool
	// told are the lines of the story by their steps.
	told map[int][]story.Line
	// etcd has the names of its nodes.
	etcd map[string]bool
	// missed is the revision of the change that is not shown; 0 is none.
	missed int64
	// wrong and missing are the steps that are marked; -1 is none.
	wrong, missing int
}

// stepsOf are the steps of the run that is told.
func stepsOf(s *story.Story, held *trace.States) *steps {
	d := &steps{states: held, trace: s.Run.Trace, clients: s.Run.Clients, told: map[int][]story.Line{}, etcd: map[string]bool{}, wrong: s.Run.Wrong, missing: s.Run.Missed}
	if d.missing >= 0 {
		// A revision that etcd did not make is that of no change.
		d.missed = s.Run.Revision()
	}
	for n, tier := range s.Run.Tiers {
		if tier == story.EtcdTier && int(n) < len(d.trace.Nodes) {
			d.etcd[d.trace.Nodes[n]] = true
		}
	}
	for _, l := range s.Lines {
		d.told[l.Step-1] = append(d.told[l.Step-1], l)
	}
	return d
}

// stepTable is a table of steps.
type stepTable struct {
	// Lanes are the names of the nodes that have a lane, from the left, LaneWidth is from
	// one to the next, in pixels.
	Lanes     []string
	LaneWidth int
	// Timed: steps have times in place of numbers. Brief: beside a step is only what it
	// changes.
	Timed, Brief bool
	Rows         []stepRow
}

// stepRow is a step, or a gap that stands for steps that are left out.
type stepRow struct {
	When  string
	Class string
	Lanes laneRow
	// Says is what the story tells, How what made the step.
	Says []saying
	How  string
	Node string
	// Left is the number of steps that a gap stands for; 0 is a step.
	Left  string
	Holds []nodeState
	// Anchor is what a link leads to, empty if none does.
	Anchor string
	// Quiet are steps that share the row, and Count says how many: none of them changes
	// what is shown.
	Quiet []quietStep
	Count string
}

// quietStep is a step without what the nodes hold.
type quietStep struct{ When, Node, How string }

type saying struct{ Node, Text string }

// table has a row for each step that is kept, in lanes.
func (d *steps) table(keep func(step int) bool, tiers map[sim.NodeID]story.Tier) stepTable {
	var kept []int
	for i := range d.trace.Steps {
		if keep(i) {
			kept = append(kept, i)
		}
	}
	l := lanesOf(d.trace, kept, tiers)
	t := stepTable{Lanes: l.names(d.trace), LaneWidth: l.width(), Timed: d.trace.Timed}
	before := -1
	for _, i := range kept {
		if out := i - before - 1; out > 0 {
			t.Rows = append(t.Rows, stepRow{Class: "gap", Left: Counted(uint64(out), "step"), Holds: d.holds(i-1, before)})
		}
		row := d.row(i)
		row.Lanes = l.row(d.trace, i)
		row.Holds = d.holds(i, i-1)
		t.Rows = append(t.Rows, row)
		before = i
	}
	inUse(t.Rows, t.Lanes, d.etcd)
	return t
}

// The classes of the two steps that are marked.
const (
	missedClass = " missed"
	wrongClass  = " wrong"
)

// row is a step without its lanes and states.
func (d *steps) row(i int) stepRow {
	s := &d.trace.Steps[i]
	r := stepRow{When: d.when(i), How: d.how(i), Node: d.trace.Nodes[s.Node]}
	if s.Kind == sim.Inject || s.Node == 0 {
		r.Node, r.Class = "fault", "fault"
	}
	for _, l := range d.told[i] {
		r.Says = append(r.Says, saying{l.Node, l.Text})
	}
	if len(r.Says) > 0 {
		r.Class += " told"
	}
	if i == d.missing {
		r.Class += missedClass
	}
	if i == d.wrong {
		r.Class += wrongClass
	}
	return r
}

// when is the clock of a timed run, and the number of the step in others.
func (d *steps) when(i int) string {
	if d.trace.Timed {
		return d.trace.Steps[i].At.Sub(0).String()
	}
	return strconv.Itoa(i + 1)
}

// how says what made the step: a message, a timer, a loop or a fault.
func (d *steps) how(i int) string {
	s := &d.trace.Steps[i]
	switch {
	case s.Delivered >= 0:
		m := &d.trace.Messages[s.Delivered]
		text := "takes from " + d.trace.Nodes[m.From] + ": " + m.Payload.Label()
		if m.Sent >= 0 && m.Sent != i-1 {
			text += " (sent at " + d.when(m.Sent) + ")"
		}
		return text
	case s.Kind == sim.Fire && d.clients[s.Node]:
		return "asks"
	case s.Kind == sim.Fire:
		return "timer: " + s.Activity
	}
	return s.Activity
}
