package report

import (
	"fmt"
	"html"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// The measures of a chart, in pixels.
const (
	chartLeft   = 90
	chartTop    = 46
	laneWidth   = 190
	rowHeight   = 26
	labelLength = 34
)

// chart draws steps as a message sequence chart: a line for each node, an arrow
// for each message from the step that sent it to the one that delivered it.
type chart struct {
	trace *trace
	timed bool
	// lane is the place of a node, from the left; -1 if it has none.
	lane []int
	// row is the place of a step, from the top; -1 if it is left out.
	row []int
	// told are the steps of the story, fault the one that ends it.
	told map[int]bool
	b    strings.Builder
}

// drawChart returns the chart as SVG. keep says which steps are drawn.
func drawChart(t *trace, lines []Line, keep func(step int) bool) string {
	c := &chart{trace: t, timed: t.timed, told: map[int]bool{}}
	for _, l := range lines {
		c.told[l.Step-1] = true
	}
	rows := 0
	for i := range t.steps {
		if keep(i) {
			c.row = append(c.row, rows)
			rows++
		} else {
			c.row = append(c.row, -1)
		}
	}
	lanes := c.lanes()
	// Labels of the last lane stand to its right.
	width, height := chartLeft+lanes*laneWidth+laneWidth/2, chartTop+(rows+1)*rowHeight
	fmt.Fprintf(&c.b, `<svg class="chart" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="message sequence chart">`, width, height, width, height)
	c.b.WriteString(`<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>`)
	for n, lane := range c.lane {
		if lane < 0 {
			continue
		}
		x := c.x(sim.NodeID(n))
		fmt.Fprintf(&c.b, `<text class="node" x="%d" y="24">%s</text><line class="life" x1="%d" y1="34" x2="%d" y2="%d"/>`,
			x, html.EscapeString(t.nodes[n]), x, x, height)
	}
	for i := range t.steps {
		if c.row[i] >= 0 {
			c.step(i)
		}
	}
	c.b.WriteString("</svg>")
	return c.b.String()
}

// lanes gives a lane to each node that has something to do: clients, then
// caches and their client libraries, then etcd, as reads travel.
func (c *chart) lanes() int {
	active := make([]bool, len(c.trace.nodes))
	for i := range c.trace.steps {
		if s := &c.trace.steps[i]; c.row[i] >= 0 && s.node != 0 {
			active[s.node] = true
			if s.delivered >= 0 {
				if from := c.trace.messages[s.delivered].from; from != 0 {
					active[from] = true
				}
			}
		}
	}
	c.lane = make([]int, len(c.trace.nodes))
	n := 0
	give := func(want func(name string) bool) {
		for i, name := range c.trace.nodes {
			if active[i] && want(name) {
				c.lane[i] = n
				n++
			}
		}
	}
	for i := range c.lane {
		c.lane[i] = -1
	}
	is := func(name, kind string) bool { return name == kind || strings.HasPrefix(name, kind+"-") }
	give(func(name string) bool { return !is(name, "cache") && !is(name, "client") && name != "etcd" })
	give(func(name string) bool { return is(name, "cache") })
	give(func(name string) bool { return is(name, "client") })
	give(func(name string) bool { return name == "etcd" })
	return n
}

func (c *chart) x(n sim.NodeID) int { return chartLeft + c.lane[n]*laneWidth + laneWidth/2 }

func (c *chart) y(step int) int { return chartTop + c.row[step]*rowHeight + rowHeight/2 }

func (c *chart) step(i int) {
	s := &c.trace.steps[i]
	class := ""
	if c.told[i] {
		class = " told"
	}
	when := itoa(int64(i + 1))
	if c.timed {
		when = s.at.Sub(0).String()
	}
	y := c.y(i)
	fmt.Fprintf(&c.b, `<g class="step%s"><title>%s</title><text class="when" x="%d" y="%d">%s</text>`,
		class, html.EscapeString(title(s)), chartLeft-14, y+4, when)
	switch {
	case s.delivered >= 0:
		c.arrow(i, &c.trace.messages[s.delivered])
	case s.kind == sim.Inject || s.node == 0:
		fmt.Fprintf(&c.b, `<text class="fault" x="%d" y="%d">✕ %s</text>`, chartLeft, y+4, html.EscapeString(shorten(strings.TrimPrefix(s.name, "inject "))))
	default:
		x := c.x(s.node)
		fmt.Fprintf(&c.b, `<circle class="tick" cx="%d" cy="%d" r="4"/><text class="label" x="%d" y="%d">%s</text>`,
			x, y, x+9, y+4, html.EscapeString(shorten(c.activity(s))))
	}
	c.b.WriteString("</g>")
}

// activity is the name of a loop or timer without the node, which the lane
// says.
func (c *chart) activity(s *step) string {
	name := strings.TrimPrefix(strings.TrimPrefix(s.name, "run "), "fire ")
	name = strings.TrimPrefix(name, c.trace.nodes[s.node]+" ")
	if s.kind == sim.Fire {
		return "timer: " + name
	}
	return name
}

// arrow draws a message. It begins where it was sent, if that step is drawn and
// not long ago; else it is drawn level, with a mark where it comes from.
func (c *chart) arrow(i int, m *message) {
	if c.lane[m.from] < 0 || c.lane[m.to] < 0 {
		return
	}
	y := c.y(i)
	from := y
	if m.sent >= 0 && c.row[m.sent] >= 0 {
		from = c.y(m.sent)
	}
	x1, x2 := c.x(m.from), c.x(m.to)
	fmt.Fprintf(&c.b, `<line class="message" x1="%d" y1="%d" x2="%d" y2="%d" marker-end="url(#head)"/>`, x1, from, x2, y)
	anchor, lx := "start", x2+9
	if x1 > x2 {
		anchor, lx = "end", x2-9
	}
	// The label stands on the far side of the arrow's head, where no arrow is.
	fmt.Fprintf(&c.b, `<text class="label" text-anchor="%s" x="%d" y="%d">%s</text>`, anchor, lx, y+4, html.EscapeString(shorten(m.label)))
}

func title(s *step) string {
	text := s.name
	for _, n := range s.notes {
		text += "\n" + n.text
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
