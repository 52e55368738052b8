package explore

import (
	"fmt"
	"math"

	"github.com/watchbed/watchbed/sim"
)

// Combination is one combination of answers to the questions of a step, the first answer to each at
// first. It is the chooser of a search over all schedules, which picks the actions itself.
type Combination struct {
	// Most is up to how many answers to a question are looked at, 0 for all: the first, the last, and
	// others evenly between. Spread is told of each question that has more; nil is told nothing.
	Most   int
	Spread func(what string, answers int)
	// picked are the answers to the questions of the present step, options how many there
	// are to each.
	picked, options []int
	asked           int
	// begun is how many answers there were before the step: the rest are first ones.
	begun int
}

// Next goes on to the combination that follows. It returns false if there is none.
func (c *Combination) Next() bool {
	for i := len(c.options) - 1; i >= 0; i-- {
		if c.picked[i]+1 < c.options[i] {
			c.picked[i]++
			c.begun = i + 1
			c.Again()
			return true
		}
	}
	return false
}

// Again takes the present step from its beginning.
func (c *Combination) Again() {
	c.picked, c.options, c.asked = c.picked[:c.begun], c.options[:c.begun], 0
}

// Given are the answers of the present step. The slice is valid until the next one.
func (c *Combination) Given() []int { return c.picked }

// Number is the combination as a number in the mixed radix of how many answers each question
// has, the first question first. It is the same before the step and after it.
func (c *Combination) Number() uint64 {
	number, radix := 0, 1
	for i, answer := range c.picked {
		number += answer * radix
		radix *= c.options[i]
	}
	return uint64(number)
}

// Combinations is how many there may be of the questions of the present step: all numbers
// are below it.
func (c *Combination) Combinations() int {
	all := 1
	for _, n := range c.options {
		if all > math.MaxInt32 {
			return all
		}
		all *= n
	}
	return all
}

// Pick implements sim.Chooser. The search picks itself.
func (*Combination) Pick(*sim.World, []sim.Action) int { panic("explore: a step is not picked") }

func (c *Combination) Choose(_ *sim.World, n int, what string) int {
	all := n
	if n = looked(all, c.Most); n < all && c.Spread != nil {
		c.Spread(what, all)
	}
	if c.asked == len(c.picked) {
		c.picked, c.options = append(c.picked, 0), append(c.options, n)
	}
	if before := c.options[c.asked]; n != before {
		panic(fmt.Sprintf("explore: %q has %d options, and had %d on the way before", what, n, before))
	}
	v := c.picked[c.asked]
	c.asked++
	return answerAt(v, all, c.Most)
}

// looked is how many of n answers are looked at if they are to be at most so many.
func looked(n, most int) int {
	if most == 0 {
		return n
	}
	return min(n, most)
}

// answerAt is which of n answers is number i of the answers that are looked at.
func answerAt(i, n, most int) int {
	if looked(n, most) == n {
		return i
	}
	return i * (n - 1) / (most - 1)
}

// Numbered answers as the combination of that number does (Combination.Number), with the same Most.
type Numbered struct{ number, rest, most int }

// NewNumbered returns the answers of a number, for one step.
func NewNumbered(number, most int) *Numbered { return &Numbered{number, number, most} }

// Number is the number.
func (c *Numbered) Number() uint64 { return uint64(c.number) }

// Pick implements sim.Chooser. The search picks itself.
func (*Numbered) Pick(*sim.World, []sim.Action) int { panic("explore: a step is not picked") }

func (c *Numbered) Choose(_ *sim.World, n int, _ string) int {
	options := looked(n, c.most)
	v := c.rest % options
	c.rest /= options
	return answerAt(v, n, c.most)
}

// DefaultChoice is the index of the enabled action to take where a list of
// choices says nothing: the action that has been possible for longest, but a
// timer only if there are only timers and faults, and a fault only if there is
// nothing else. It is fair, so a run that goes on with it ends. It is also how an
// unloaded system behaves, so the departures from it are what matters in a run.
func DefaultChoice(enabled []sim.Action) int {
	best := 0
	for i := 1; i < len(enabled); i++ {
		a, b := &enabled[i], &enabled[best]
		if p, q := precedence(a.Kind), precedence(b.Kind); p < q || p == q && a.Since < b.Since {
			best = i
		}
	}
	return best
}

// settlingChoice is DefaultChoice, but that a deadline (sim.Deadlines) comes behind the other timers that are set up to
// a hundred steps later: what it bounds may need some of them, and would be given up again and again without them.
func settlingChoice(w *sim.World, enabled []sim.Action) int {
	best := DefaultChoice(enabled)
	if !w.IsDeadline(enabled[best]) {
		return best
	}
	other := best
	for i, a := range enabled {
		if a.Kind == sim.Fire && !w.IsDeadline(a) && a.Since < enabled[best].Since+100 && (other == best || a.Since < enabled[other].Since) {
			other = i
		}
	}
	return other
}

func precedence(k sim.Kind) int {
	switch k {
	case sim.Fire:
		return 1
	case sim.Inject:
		return 2
	}
	return 0
}

// IsOwed reports whether a fair schedule has to take an action sooner or later if it is
// enabled again and again: what a world that goes on for ever cannot put off for ever. Fairness is
// strong: what is enabled again and again happens again and again, since Go's select takes one of the
// ready cases at random.
//
// Messages, loops and timers get their turn. A fault need not strike. A deadline (sim.Deadlines) need
// not pass: what never comes is looked for in worlds in which waiting does not end by giving up.
func IsOwed(w *sim.World, a sim.Action) bool {
	return a.Kind != sim.Inject && !w.IsDeadline(a)
}

// IsAtRest reports whether nothing can happen but that timers fire and faults strike: all
// messages have arrived, and all loops wait.
func IsAtRest(w *sim.World) bool {
	for _, a := range w.Enabled() {
		if a.Kind != sim.Fire && a.Kind != sim.Inject {
			return false
		}
	}
	return true
}
