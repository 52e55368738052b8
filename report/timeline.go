package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

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
