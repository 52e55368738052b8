package node

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/upstream/engine"
)

// maxChoices is how many questions one step may ask: a guest that asks more spins.
const maxChoices = 100_000

// Pick implements engine.Host. Each goroutine in turn is a question of its own, so that a recording
// names those that were passed over. The first that is not passed over runs.
func (n *Node) Pick(runnable []engine.Goroutine, _ bool) int {
	last := len(runnable) - 1
	if last == 0 {
		return 0
	}
	for i, g := range runnable[:last] {
		if n.ask(2, "pass over "+name(g)) == 0 {
			last = i
			break
		}
	}
	if n.env.Noting() {
		n.ran = append(n.ran, runnable[last])
	}
	return last
}

// Select implements engine.Host.
func (n *Node) Select(g engine.Goroutine, cases int) int { return n.ask(cases, "select in "+name(g)) }

// Lock implements engine.Host.
func (n *Node) Lock(g engine.Goroutine) bool {
	return n.scheduling.Locks && n.ask(2, "yield at a lock in "+name(g)) == 1
}

func (n *Node) ask(options int, what string) int {
	n.choices++
	if n.choices > maxChoices {
		panic(fmt.Sprintf("the guest spins: %d choices in one step, the last one of %s", maxChoices, what))
	}
	return n.env.Choose(options, what)
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

// short is a function without the path of its package.
func short(function string) string { return function[strings.LastIndex(function, "/")+1:] }
