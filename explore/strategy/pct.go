package strategy

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

var _ = Register(pct(3))

// pct is probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi,
// Nagarakatte: A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs, ASPLOS 2010). Slots are its threads. Each has a random priority, the
// highest enabled one runs, and at depth-1 random picks the running one is
// demoted below all others. A run hits a bug that needs depth ordering constraints
// with probability of at least 1/(n*k^(depth-1)).
//
// Deviations. k is the number of picks that had an alternative, from the
// profile. A slot whose timer fired draws its priority anew, as a thread that
// yields: in an untimed world a periodic timer on top would otherwise starve the
// rest for good. A run twice as long as any trial run goes on as a random walk,
// so that it ends (as the fair schedulers of Coyote do). Questions inside steps
// are answered by Answers.
func pct(depth int) Strategy {
	return Strategy{
		Name: "pct" + strconv.Itoa(depth), Summary: "random priorities with " + strconv.Itoa(depth-1) + " demotions (PCT)",
		New: func(p Profile) Chooser {
			return &pctChooser{changes: make([]int, depth-1), k: max(p.Picks, 1), patience: p.patience()}
		},
	}
}

type pctChooser struct {
	Answers
	k, patience int
	// changes are the picks at which a demotion is due.
	changes []int
	picks   int
	// rank is the priority by slot, 0 if none was drawn yet. Demoted slots are in
	// the lower half.
	rank []uint64
}

func (c *pctChooser) Begin(seed uint64) {
	c.Answers.Begin(seed)
	for i := range c.changes {
		c.changes[i] = 1 + c.rand.Below(c.k)
	}
	c.picks = 0
	clear(c.rank)
}

func (c *pctChooser) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	c.picks++
	if w.Steps() > c.patience {
		return c.rand.Below(len(enabled))
	}
	best := c.best(enabled)
	for i, at := range c.changes {
		if at == c.picks {
			c.rank[enabled[best].Slot] = uint64(i+1) << 16
			best = c.best(enabled)
		}
	}
	if a := &enabled[best]; a.Kind == sim.Fire {
		c.rank[a.Slot] = 0
	}
	return best
}

func (c *pctChooser) best(enabled []sim.Action) int {
	var top uint64
	for i := range enabled {
		slot := int(enabled[i].Slot)
		for slot >= len(c.rank) {
			c.rank = append(c.rank, 0)
		}
		r := c.rank[slot]
		if r == 0 {
			r = c.rand.Next() | 1<<63
			c.rank[slot] = r
		}
		top = max(top, ranked(r, i))
	}
	return int(top & rankIndex)
}
