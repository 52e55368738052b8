package report

import (
	"slices"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
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
