package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// From one lane to the next are laneWidth pixels, or less if there are many, but no less
// than the name of a lane is high. laneHeight is the height of a drawing, in pixels.
const (
	laneWidth  = 24
	narrowest  = 12
	allLanes   = 240
	laneHeight = 24
)

// lanes gives a lane to each node that has something to do: clients, then
// caches and their client libraries, then etcd, as reads travel.
type lanes struct{ nodes []sim.NodeID }

// lanesOf are the lanes of these steps.
func lanesOf(t *trace.Trace, steps []int, tiers map[sim.NodeID]story.Tier) lanes {
	active := make([]bool, len(t.Nodes))
	for _, i := range steps {
		s := &t.Steps[i]
		active[s.Node] = true
		if s.Delivered >= 0 {
			active[t.Messages[s.Delivered].From] = true
		}
	}
	var l lanes
	for _, tier := range story.Tiers() {
		for n := 1; n < len(active); n++ {
			if active[n] && tiers[sim.NodeID(n)] == tier {
				l.nodes = append(l.nodes, sim.NodeID(n))
			}
		}
	}
	return l
}

// width is from one lane to the next.
func (l lanes) width() int {
	return min(laneWidth, max(narrowest, allLanes/max(1, len(l.nodes))))
}

func (l lanes) names(t *trace.Trace) []string {
	var names []string
	for _, n := range l.nodes {
		names = append(names, t.Nodes[n])
	}
	return names
}

// laneRow is what is drawn of one step: a dot in the lane of the node, or an arrow from
// the lane of the sender. All are in pixels.
type laneRow struct {
	Width, Height, Middle int
	// Arrow: a message is delivered, from From to To. Else there is a dot at To, unless
	// that is 0.
	Arrow    bool
	From, To int
	// Head are the two ends of the arrow's head, left of its point by Back.
	Back int
}

func (l lanes) row(t *trace.Trace, i int) laneRow {
	r := laneRow{Width: l.width() * len(l.nodes), Height: laneHeight, Middle: laneHeight / 2}
	s := &t.Steps[i]
	r.To = l.x(s.Node)
	if s.Delivered < 0 || t.Messages[s.Delivered].From == 0 {
		return r
	}
	const head = 6
	r.Arrow, r.From, r.Back = true, l.x(t.Messages[s.Delivered].From), r.To-head
	if r.From > r.To {
		r.Back = r.To + head
	}
	return r
}

// x is the place of a node's lane, 0 if it has none.
func (l lanes) x(n sim.NodeID) int {
	i := slices.Index(l.nodes, n)
	if i < 0 {
		return 0
	}
	return l.width()*i + l.width()/2
}

// timeline is porcupine's page about a history, or the reason why there is none.
type timeline struct {
	Page, Reason string
	Property     linearizability.Property
	Clients      []string
	// Height in pixels.
	Height int
}

// timelineOf draws a history as it is judged for a property, or as linearizable
// if that is not for porcupine to judge.
func timelineOf(h *model.History, p linearizability.Property) timeline {
	if p != linearizability.LinearizableData {
		p = linearizability.Linearizable
	}
	const row, around, highest = 45, 130, 600
	t := timeline{Property: p, Clients: h.Clients, Height: min(around+row*len(h.Clients), highest)}
	if len(h.Operations) == 0 {
		t.Reason = "The history has no operations."
		return t
	}
	if len(h.Operations) > linearizability.MaxVisualized {
		t.Reason = fmt.Sprintf("The history has %d operations; timelines are drawn up to %d.", len(h.Operations), linearizability.MaxVisualized)
		return t
	}
	var b bytes.Buffer
	if err := linearizability.Visualize(&b, h, p); err != nil {
		t.Reason = sentence(err.Error())
		return t
	}
	// What is spelt out once is no more once a script has read it.
	t.Page = strings.Replace(string(spellOut(b.Bytes(), `\\`)), renderAtOnce, renderWhenSeen, 1)
	return t
}

// Porcupine's page measures text as it draws. In a frame that is not in view
// browsers lay nothing out, everything measures 0, and the boxes lie upon each
// other. So it draws at once only if there is something to measure by, and else
// when it is first seen.
const (
	renderAtOnce   = "\n      render(data)\n"
	renderWhenSeen = `
      if (document.querySelector('#legend text').getBBox().width > 0) render(data)
      else new IntersectionObserver((seen, o) => {
        if (seen.some((x) => x.isIntersecting)) { o.disconnect(); render(data) }
      }).observe(document.querySelector('#legend'))
`
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
