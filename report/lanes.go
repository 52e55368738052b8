package report

import (
	"bytes"
	"fmt"
	"slices"
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
