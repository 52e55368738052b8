package explore

import "github.com/watchbed/watchbed/sim"

// Indices is a chooser that takes its choices from a list of numbers, each
// modulo the number of options: for whoever draws, mutates or shrinks lists. A
// number says how far to go from the default choice: what has been possible for
// longest, but timers only when nothing else can happen, and faults last; and the
// first answer to a question. Where there is no choice it takes no number. Once the
// list is used up all choices are the default, so that a shorter list with smaller
// numbers is a simpler run.
type Indices struct {
	list []uint16
	used int
}

// NewIndices returns a chooser for one run.
func NewIndices(list []uint16) *Indices { return &Indices{list: list} }

// Used is how many numbers the run has taken.
func (c *Indices) Used() int { return c.used }

// Pick implements sim.Chooser.
func (c *Indices) Pick(_ *sim.World, enabled []sim.Action) int {
	return (usual(enabled) + c.next(len(enabled))) % len(enabled)
}

// Choose implements sim.Chooser.
func (c *Indices) Choose(_ *sim.World, n int, _ string) int { return c.next(n) }

func (c *Indices) next(n int) int {
	if n == 1 || c.used == len(c.list) {
		return 0
	}
	c.used++
	return int(c.list[c.used-1]) % n
}
