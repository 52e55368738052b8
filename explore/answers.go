package explore

import "github.com/watchbed/watchbed/sim"

// answers settles the choices inside steps for all strategies but the random
// walk. The papers know no such choices. In timed runs they carry the delays,
// and with them nearly all that there is to decide: bugs hide where one
// message is slow and the rest is fast, which independent uniform answers
// hardly ever give. So each run leans some way, drawn from its seed.
type answers struct {
	random random
	style  style
	salt   uint64
}

// style is how the answers of one run are drawn.
type style uint8

const (
	// uniform: every answer is as likely as any other.
	uniform style = iota
	// extreme: mostly the first or the last answer.
	extreme
	// leaning: each question has its own bias for the whole run.
	leaning
	// rarelyLast: the first answer but for one time in sixteen.
	rarelyLast
	// rarelyFirst: the last answer but for one time in sixteen.
	rarelyFirst
	styles
)

const rareness = 16

func (a *answers) begin(seed uint64) {
	a.random.seed(seed, 'a')
	a.salt = a.random.next()
	a.style = style(a.random.below(int(styles)))
}

// Choose implements sim.Chooser.
func (a *answers) Choose(_ *sim.World, n int, what string) int {
	switch a.style {
	case uniform:
	case extreme:
		return a.extreme(n)
	case leaning:
		switch uint64(sim.Digest(a.salt).Text(what)) >> 62 {
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
	return a.random.below(n)
}

func (a *answers) extreme(n int) int {
	r := a.random.next()
	switch {
	case r&3 != 0:
		return int(r>>2&1) * (n - 1)
	default:
		return a.random.below(n)
	}
}

// rarely returns common, now and then rare, and as often anything.
func (a *answers) rarely(n, common, rare int) int {
	switch a.random.below(2 * rareness) {
	case 0:
		return rare
	case 1:
		return a.random.below(n)
	}
	return common
}
