package answers

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
)

// Combination is the one with which a step is taken, the first answer to each question at
// first. It is the chooser of a search, which picks the actions itself.
type Combination struct {
	// picked are the answers to the questions of the present step, options how many there
	// are to each.
	picked, options []int
	asked           int
}

// Next goes on to the combination that follows. It returns false if there is none.
func (c *Combination) Next() bool {
	for i := len(c.options) - 1; i >= 0; i-- {
		if c.picked[i]+1 < c.options[i] {
			c.picked = append(c.picked[:i], c.picked[i]+1)
			c.options, c.asked = c.options[:0], 0
			return true
		}
	}
	return false
}

// Given are the answers of the present step. The slice is valid until the next one.
func (c *Combination) Given() []int { return c.picked }

// Options is how many answers there are to a question of the present step.
func (c *Combination) Options(question int) int { return c.options[question] }

// Pick implements sim.Chooser. The search picks itself.
func (*Combination) Pick(*sim.World, []sim.Action) int { panic("answers: a step is not picked") }

// Choose implements sim.Chooser.
func (c *Combination) Choose(_ *sim.World, n int, what string) int {
	if c.asked == len(c.picked) {
		c.picked = append(c.picked, 0)
	}
	c.options = append(c.options, n)
	v := c.picked[c.asked]
	c.asked++
	if v >= n {
		panic(fmt.Sprintf("answers: %q has %d options, and had more on the way before", what, n))
	}
	return v
}
