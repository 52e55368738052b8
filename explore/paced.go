package explore

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

// Paced is a random walk that knows how long timers are. Untimed any timer may
// fire at any point, so in a random walk most reads time out after 3 s in which
// nothing else took any time, and a run says little about the reads that are
// answered. Here a timer that is as long as a turn of everything else is half as
// likely as a message, and a longer one less so. How long such a turn takes is
// drawn for each run, from that of an idle machine to that of one that hardly
// moves: some violations need a prompt timer, others that none fires for long.
// It does not find what needs long timers to fire at once.
func Paced() Strategy {
	return Strategy{
		Name: "paced", Summary: "random walk; the longer a timer, the less likely",
		make: func(p Profile) Chooser { return &paced{patience: p.patience()} },
	}
}

type paced struct {
	random   random
	patience int
	turn     sim.Duration
	weights  []int
}

// full is the weight of what takes no time.
const full = 1 << 10

// turns are 10 ms and up: etcd's shortest timer, its sync interval, and beyond.
var turns = [...]sim.Duration{10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond}

func (c *paced) Begin(seed uint64) {
	c.random.seed(seed, 'p')
	c.turn = turns[c.random.below(len(turns))]
}

func (c *paced) Pick(w *sim.World, enabled []sim.Action) int {
	if len(enabled) == 1 {
		return 0
	}
	if w.Steps() > c.patience {
		return c.random.below(len(enabled))
	}
	c.weights = c.weights[:0]
	sum := 0
	for i := range enabled {
		weight := full
		switch a := &enabled[i]; a.Kind {
		case sim.Fire:
			weight = max(1, int(full*c.turn/(c.turn+w.Wait(*a))))
		case sim.Inject:
			weight = full / 16
		}
		c.weights = append(c.weights, weight)
		sum += weight
	}
	at := c.random.below(sum)
	for i, weight := range c.weights {
		if at < weight {
			return i
		}
		at -= weight
	}
	panic("explore: weights do not add up")
}

func (c *paced) Choose(_ *sim.World, n int, _ string) int { return c.random.below(n) }
