package report

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/sim"
)

// The measures of a chart, in pixels.
const (
	chartTop    = 46
	rowHeight   = 26
	labelLength = 38
	// Steps are numbered left of chartLeft. Labels of the first lane stand to its
	// left, those of the last within chartRight.
	chartLeft  = 80
	chartRight = 200
	firstLane  = chartLeft + 130
	// As long as lanes are not too narrow the chart has this width.
	chartWidth           = 1240
	narrowLane, wideLane = 140, 190
)

// chart draws steps as a message sequence chart: a line for each node, an arrow
// for each message from the step that sent it to the one that delivered it.
type chart struct {
	run *story.Run
	// lane is the place of a node, from the left; -1 if it has none.
	lane []int
	// row is the place of a step, from the top; -1 if it is left out.
	row []int
	// told are the steps of the story.
	told map[int]bool
	// width is that of the chart, laneWidth from one lane to the next.
	width, laneWidth int

	bands  strings.Builder
	arrows strings.Builder
	// labels come last, so that no arrow strikes them through.
	labels strings.Builder
}

// drawChart returns the chart as SVG. keep says which steps are drawn.
func drawChart(r *story.Run, lines []story.Line, keep func(step int) bool) string {
	t := r.Trace
	d := &chart{run: r, told: map[int]bool{}}
	for _, l := range lines {
		d.told[l.Step-1] = true
	}
	rows, last := 0, -1
	var gaps []gap
	for i := range t.Steps {
		if !keep(i) {
			d.row = append(d.row, -1)
			continue
		}
		if out := i - last - 1; out > 0 {
			gaps = append(gaps, gap{rows, out})
			rows++
		}
		d.row = append(d.row, rows)
		rows++
		last = i
	}
	gapsBetween := max(1, d.lanes()-1)
	d.laneWidth = min(wideLane, max(narrowLane, (chartWidth-firstLane-chartRight)/gapsBetween))
	d.width = max(chartWidth, firstLane+gapsBetween*d.laneWidth+chartRight)
	height := chartTop + rows*rowHeight + rowHeight/2
	for _, g := range gaps {
		fmt.Fprintf(&d.labels, `<text class="gap" x="%d" y="%d">⋮ %s</text>`, chartLeft-70, chartTop+g.row*rowHeight+rowHeight/2+4, counted(uint64(g.steps), "step"))
	}
	d.band("missed", r.Missed)
	d.band("wrong", r.Wrong)
	for i := range t.Steps {
		if d.row[i] >= 0 {
			d.step(i)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="message sequence chart">`, d.width, height, d.width, height)
	for _, head := range []string{"head", "head-told"} {
		fmt.Fprintf(&b, `<defs><marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="%s" d="M0,0 L8,4 L0,8 z"/></marker></defs>`, head, head)
	}
	b.WriteString(d.bands.String())
	for n, lane := range d.lane {
		if lane < 0 {
			continue
		}
		x := d.x(sim.NodeID(n))
		fmt.Fprintf(&b, `<text class="node" x="%d" y="24">%s</text><line class="life" x1="%d" y1="34" x2="%d" y2="%d"/>`,
			x, html.EscapeString(t.Nodes[n]), x, x, height)
	}
	return b.String() + d.arrows.String() + d.labels.String() + "</svg>"
}

// gap is a row that stands for steps that are left out.
type gap struct{ row, steps int }

// band marks the row of a step that matters more than others.
func (d *chart) band(class string, step int) {
	if step < 0 || step >= len(d.row) || d.row[step] < 0 {
		return
	}
	fmt.Fprintf(&d.bands, `<rect class="%s" x="0" y="%d" width="%d" height="%d"/>`, class, d.y(step)-rowHeight/2, d.width, rowHeight)
}

// lanes gives a lane to each node that has something to do: clients, then
// caches and their client libraries, then etcd, as reads travel.
func (d *chart) lanes() int {
	active := make([]bool, len(d.run.Trace.Nodes))
	for i := range d.run.Trace.Steps {
		if s := &d.run.Trace.Steps[i]; d.row[i] >= 0 && s.Node != 0 {
			active[s.Node] = true
			if s.Delivered >= 0 {
				if from := d.run.Trace.Messages[s.Delivered].From; from != 0 {
					active[from] = true
				}
			}
		}
	}
	d.lane = make([]int, len(d.run.Trace.Nodes))
	for i := range d.lane {
		d.lane[i] = -1
	}
	n := 0
	for _, tier := range story.Tiers() {
		for i := range d.lane {
			if active[i] && d.run.Tiers[sim.NodeID(i)] == tier {
				d.lane[i] = n
				n++
			}
		}
	}
	return n
}

func (d *chart) x(n sim.NodeID) int { return firstLane + d.lane[n]*d.laneWidth }

func (d *chart) y(step int) int { return chartTop + d.row[step]*rowHeight + rowHeight/2 }

func (d *chart) step(i int) {
	s := &d.run.Trace.Steps[i]
	class := "step"
	if d.told[i] {
		class = "step told"
	}
	when := strconv.Itoa(i + 1)
	if d.run.Trace.Timed {
		when = s.At.Sub(0).String()
	}
	y := d.y(i)
	open := fmt.Sprintf(`<g class="%s"><title>%s</title>`, class, html.EscapeString(title(s)))
	d.arrows.WriteString(open)
	d.labels.WriteString(open)
	fmt.Fprintf(&d.labels, `<text class="when" x="%d" y="%d">%s</text>`, chartLeft-14, y+4, when)
	switch {
	case s.Delivered >= 0:
		d.arrow(i, &d.run.Trace.Messages[s.Delivered])
	case s.Kind == sim.Inject || s.Node == 0:
		fmt.Fprintf(&d.labels, `<text class="fault" x="%d" y="%d">✕ %s</text>`, chartLeft, y+4, html.EscapeString(shorten(s.Activity)))
	default:
		fmt.Fprintf(&d.arrows, `<circle class="tick" cx="%d" cy="%d" r="4"/>`, d.x(s.Node), y)
		side := 1
		if d.leavesRight(i) {
			side = -1
		}
		d.label(d.x(s.Node), y, side, d.activity(s))
	}
	d.arrows.WriteString("</g>")
	d.labels.WriteString("</g>")
}

// leavesRight: an arrow begins here and goes to the right, where a label would
// stand.
func (d *chart) leavesRight(i int) bool {
	for j := range d.run.Trace.Messages {
		m := &d.run.Trace.Messages[j]
		if m.Sent == i && m.Delivered >= 0 && d.row[m.Delivered] >= 0 && d.lane[m.To] > d.lane[m.From] {
			return true
		}
	}
	return false
}

// label stands to the right of a place or, if side is negative, to the left.
func (d *chart) label(x, y, side int, text string) {
	anchor := "start"
	if side < 0 {
		anchor = "end"
	}
	fmt.Fprintf(&d.labels, `<text class="label" text-anchor="%s" x="%d" y="%d">%s</text>`, anchor, x+9*side, y+4, html.EscapeString(shorten(text)))
}

// activity is the name of a loop or timer without the node, which the lane
// says. A client's timer means that it asks; what, stands at the arrow.
func (d *chart) activity(s *trace.Step) string {
	if s.Kind == sim.Fire && d.run.Clients[s.Node] {
		return "asks"
	}
	if s.Kind == sim.Fire {
		return "timer: " + s.Activity
	}
	return s.Activity
}

// arrow draws a message. It begins where it was sent, if that step is drawn;
// else it is level. Its label stands on the far side of its head, where no arrow
// is, unless one goes on from there.
func (d *chart) arrow(i int, m *trace.Message) {
	if d.lane[m.From] < 0 || d.lane[m.To] < 0 {
		return
	}
	y := d.y(i)
	from := y
	if m.Sent >= 0 && d.row[m.Sent] >= 0 {
		from = d.y(m.Sent)
	}
	x1, x2 := d.x(m.From), d.x(m.To)
	head := "head"
	if d.told[i] {
		head = "head-told"
	}
	fmt.Fprintf(&d.arrows, `<line class="message" x1="%d" y1="%d" x2="%d" y2="%d" marker-end="url(#%s)"/>`, x1, from, x2, y, head)
	side := 1
	if x1 > x2 {
		side = -1
	}
	if side > 0 && d.leavesRight(i) {
		// Below the head, in front of what goes on.
		fmt.Fprintf(&d.labels, `<text class="label" text-anchor="end" x="%d" y="%d">%s</text>`, x2-12, y+15, html.EscapeString(shorten(m.Label)))
		return
	}
	d.label(x2, y, side, m.Label)
}

func title(s *trace.Step) string {
	text := s.Name
	for _, n := range s.Notes {
		text += "\n" + n.Text
	}
	return text
}

func shorten(s string) string {
	r := []rune(s)
	if len(r) <= labelLength {
		return s
	}
	return string(r[:labelLength-1]) + "…"
}
