package property

import (
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// indices is a chooser that takes its choices from a list of numbers, each modulo
// the number of options. A number says how far to go from explore.DefaultChoice,
// or from the first answer to a question. Where there is only one option it takes
// no number. After the end of the list all choices are the default, so a shorter
// list with smaller numbers is a simpler run.
type indices struct {
	list []uint16
	used int
}

func (c *indices) Pick(_ *sim.World, enabled []sim.Action) int {
	return (explore.DefaultChoice(enabled) + c.next(len(enabled))) % len(enabled)
}

func (c *indices) Choose(_ *sim.World, n int, _ string) int { return c.next(n) }

func (c *indices) next(n int) int {
	if n == 1 || c.used == len(c.list) {
		return 0
	}
	c.used++
	return int(c.list[c.used-1]) % n
}
