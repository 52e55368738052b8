package node

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/engine"
)

// ran are the goroutines that were picked in a step, in order, and what the cache has after it.
type ran struct {
	goroutines []engine.Goroutine
	has        string
}

// mostShown is how many a story names.
const mostShown = 6

// Text implements sim.Note.
func (r ran) Text(*sim.World) string {
	var names []string
	for i, g := range r.goroutines {
		if i == mostShown {
			names = append(names, "...")
			break
		}
		names = append(names, name(g))
	}
	return "runs " + strings.Join(names, ", then ") + r.has
}

// has is what the cache has, empty while a goroutine may be stopped halfway.
func (n *Node) has() string {
	s := &n.shown
	switch {
	case n.halfway():
		return ""
	case !s.ready:
		return "; the cache is not ready"
	}
	objects := "objects"
	if len(s.objects) == 1 {
		objects = "object"
	}
	return fmt.Sprintf("; the cache has %d %s at resourceVersion %d", len(s.objects), objects, s.resourceVersion)
}
