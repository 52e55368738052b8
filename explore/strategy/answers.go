package strategy

import "github.com/watchbed/watchbed/sim"

// Answers answers the questions inside steps. All strategies but the random walk
// use it: the papers know no such questions. In timed runs the answers are the
// delays, and with them nearly all that there is to decide. A bug shows where one
// message is slow and the rest is fast, which independent uniform answers hardly
// ever give. So each run draws a style from its seed.
type Answers struct {
	rand  Rand
	style style
	salt  uint64
}

// style is how the answers of one run are drawn.
type style uint8

const (
	// uniform: every answer is equally likely.
	uniform style = iota
	// extreme: mostly the first or the last answer.
	extreme
	// leaning: each question has its own bias for the whole run.
	leaning
	// rarelyLast: the first answer, except one time in sixteen.
	rarelyLast
	// rarelyFirst: the last answer, except one time in sixteen.
	rarelyFirst
	styles
)

const rareness = 16

// Begin starts the run of a seed.
func (a *Answers) Begin(seed uint64) {
	a.rand.Seed(seed, 'a')
	a.salt = a.rand.Next()
	a.style = style(a.rand.Below(int(styles)))
}

func (a *Answers) Choose(_ *sim.World, n int, what string) int {
	switch a.style {
	case uniform:
	case extreme:
		return a.extreme(n)
	case leaning:
		switch sim.Seeded(a.salt).Text(what).Sum() >> 62 {
		case 0:
			return a.rarely(n, 0, n-1)
		case 1:
			return a.rarely(n, n-1, 0)
		case 2:
			return a.extreme(n)
		}
	case rarelyLast:
		return a.rarely(n, 0, n-1)
	case rarelyFirst:
		return a.rarely(n, n-1, 0)
	}
	return a.rand.Below(n)
}

func (a *Answers) extreme(n int) int {
	r := a.rand.Next()
	switch {
	case r&3 != 0:
		return int(r>>2&1) * (n - 1)
	default:
		return a.rand.Below(n)
	}
}

// rarely returns common, except one time in sixteen: then it is rare, or as often
// any answer.
func (a *Answers) rarely(n, common, rare int) int {
	switch a.rand.Below(2 * rareness) {
	case 0:
		return rare
	case 1:
		return a.rand.Below(n)
	}
	return common
}
