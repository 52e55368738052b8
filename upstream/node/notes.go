package node

import (
	"strings"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/engine"
)

// ran are the goroutines that were picked in a step, in order.
type ran []engine.Goroutine

// mostShown is how many a story names.
const mostShown = 6

// Text implements sim.Note.
func (r ran) Text(*sim.World) string {
	var names []string
	for i, g := range r {
		if i == mostShown {
			names = append(names, "...")
			break
		}
		names = append(names, name(g))
	}
	return "runs " + strings.Join(names, ", then ")
}
