package node

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/upstream/engine"
)

// Pick implements engine.Host. A goroutine that is the only one to run is no choice, and not noted.
func (n *Node) Pick(runnable []engine.Goroutine, receives bool) int {
	if receives && n.how.Late && n.Over(&n.Step) {
		n.waits = true
		return engine.None
	}
	picked := n.Among(runnable)
	if len(runnable) > 1 {
		n.Note(runnable[picked])
	}
	return picked
}

// name is that of a goroutine in recordings and stories: where it began, where it was created, and how many were
// created there before.
func name(g engine.Goroutine) string {
	function, site := short(g.Function), short(g.Site)
	if strings.HasPrefix(function, site) {
		return fmt.Sprintf("%s#%d", function, g.Ordinal)
	}
	return fmt.Sprintf("%s of %s#%d", function, site, g.Ordinal)
}
